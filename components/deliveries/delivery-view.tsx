'use client';

import { parseAsString, useQueryState } from 'nuqs';
import type { ReactNode } from 'react';
import type { DeliveryDetail } from '@/server/services/contract';
import { t } from '../messages';
import { Timeline } from '../timeline/timeline';
import { BodyViewer } from '../ui/body-viewer';
import { useNow, useZone } from '../ui/clock';
import { CopyId } from '../ui/copy-id';
import { DetailFrame } from '../ui/detail-frame';
import { DetailSkeleton, ErrorState } from '../ui/notices';
import { PageHead, Section } from '../ui/page-head';
import { DeliveryChip } from '../ui/status-chip';
import { Attempts } from './attempts';
import { BodyActions } from './body-actions';
import { DeliveryFacts } from './delivery-facts';
import { Resend } from './resend';
import { deliverySentence } from './sentence';
import { Siblings } from './siblings';
import { useDelivery } from './use-delivery';

export interface DeliveryViewProps {
  id: string;
  place: 'panel' | 'page';
  back?: ReactNode;
  /** Opens another delivery in the same panel; on a page siblings are links. */
  onOpenSibling?: (id: string) => void;
}

export function DeliveryView(props: DeliveryViewProps) {
  const { data, error, refetch } = useDelivery(props.id);
  if (data) return <Loaded {...props} detail={data} />;
  return (
    <>
      {props.place === 'page' ? <PageHead title={t.deliveries.one}>{props.back}</PageHead> : null}
      {error ? <ErrorState error={error} onRetry={() => refetch()} /> : <DetailSkeleton />}
    </>
  );
}

/** "payment.status_changed to shop-eu" */
export function titleOf({ delivery, endpointLabel }: DeliveryDetail): string {
  return t.deliveries.titleOf(delivery.type, endpointLabel ?? t.delivery.noEndpoint);
}

const FIRST_WIDTH = { panel: 510, page: 1_100 } as const;

function Loaded({ detail, place, back, onOpenSibling }: DeliveryViewProps & { detail: DeliveryDetail }) {
  const { delivery, event, endpointLabel } = detail;
  const now = useNow();
  const zone = useZone();
  const [attempt, setAttempt] = useQueryState('attempt', parseAsString);
  return (
    <DetailFrame
      back={back}
      title={place === 'page' ? titleOf(detail) : undefined}
      marks={
        <>
          <DeliveryChip delivery={delivery} boxed />
          <CopyId id={delivery.id} what={t.delivery.facts.delivery} short={place === 'panel'} />
        </>
      }
      sentence={deliverySentence({ delivery, endpointLabel, now, zone })}
      actions={<Resend detail={detail} />}
    >
      <Timeline
        view={detail.timeline}
        firstWidth={FIRST_WIDTH[place]}
        selected={attempt}
        onSelect={(id) => setAttempt(id)}
      />
      <Attempts
        attempts={detail.attempts}
        selected={attempt}
        onSelect={(id) => setAttempt(id)}
        columns={place === 'page' ? 2 : 1}
      />
      <DeliveryFacts detail={detail} columns={place === 'page' ? 2 : 1} />
      <Section title={t.delivery.body.title} beside={<BodyActions detail={detail} />}>
        <BodyViewer body={event.body} encoding={event.body_encoding ?? 'utf8'} />
      </Section>
      <Siblings siblings={detail.siblings} onOpen={onOpenSibling} />
    </DetailFrame>
  );
}
