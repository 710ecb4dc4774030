'use client';

import type { EndpointResource } from '@/server/services/contract';
import { endpointName } from '../deliveries/endpoint-name';
import { t } from '../messages';
import { useNow, useZone } from '../ui/clock';
import { CopyId } from '../ui/copy-id';
import { DetailFrame } from '../ui/detail-frame';
import { BackToEndpoints } from './back';
import { EndpointActions } from './endpoint-actions';
import { EndpointFacts } from './endpoint-facts';
import { guardingBreaker, healthOf, lastAnswerOf } from './health';
import { HealthChip } from './health-chip';
import { RecentDeliveries } from './recent-deliveries';
import { ReviveSteps } from './revive-steps';
import { endpointSentence } from './sentence';
import { SnippetSection } from './snippet-view';
import { TestAnswer } from './test-answer-view';
import { Unloaded } from './unloaded';
import { useEndpoint } from './use-endpoint';
import { useTestSend } from './use-test-send';

/** One endpoint: how it does and what happens next, what can be done, and its last deliveries. */
export function EndpointPage({ id }: { id: string }) {
  const endpoint = useEndpoint(id);
  const { query } = endpoint;
  if (query.data) return <Loaded endpoint={query.data} beside={endpoint} />;
  return <Unloaded title={t.endpoints.one} error={query.error} onRetry={() => query.refetch()} />;
}

function Loaded(props: { endpoint: EndpointResource; beside: ReturnType<typeof useEndpoint> }) {
  const { endpoint, beside } = props;
  const now = useNow();
  const zone = useZone();
  const name = endpointName(endpoint);
  const testing = useTestSend(endpoint.id);
  const health = healthOf(endpoint, { breakers: beside.breakers, latest: beside.deliveries }, now);
  return (
    <DetailFrame
      back={<BackToEndpoints />}
      title={name}
      marks={
        <>
          <HealthChip endpoint={endpoint} health={health} boxed />
          <CopyId id={endpoint.id} what={t.endpoints.facts.id} short />
        </>
      }
      sentence={endpointSentence({
        endpoint,
        name,
        health,
        pending: beside.pending,
        lastAnswer: lastAnswerOf([...beside.deliveries, ...beside.tried])?.text ?? null,
        neverSent: beside.isCounted && beside.deliveries.length === 0,
        now,
        zone,
      })}
      actions={<EndpointActions endpoint={endpoint} name={name} testing={testing} />}
    >
      <TestAnswer name={name} isActive={endpoint.status === 'active'} testing={testing} />
      {endpoint.status === 'auto_disabled' ? <ReviveSteps endpointId={endpoint.id} /> : null}
      <EndpointFacts endpoint={endpoint} breaker={guardingBreaker(endpoint, beside.breakers)} />
      <RecentDeliveries
        endpointId={endpoint.id}
        deliveries={beside.deliveries}
        isLoading={!beside.isCounted}
      />
      <SnippetSection scheme={endpoint.scheme} />
    </DetailFrame>
  );
}
