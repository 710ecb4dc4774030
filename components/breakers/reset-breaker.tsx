'use client';

import { Button, Textarea } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { BreakerDetail, BreakerResource } from '@/server/services/contract';
import { t } from '../messages';
import { useTRPC } from '../trpc';
import { Confirm } from '../ui/confirm';
import { errorFacts } from '../ui/error-facts';
import { span } from '../ui/format';
import { isCapped } from './sentence';

export interface ResetBreakerProps {
  breaker: BreakerResource;
  appId: string;
  /** How the console names what it guards. */
  scope: string;
  /** Where they are known, the dialog says when it would open again. */
  thresholds?: BreakerDetail['thresholds'];
  /** In a list: a short word, its row in the label. */
  short?: boolean;
}

const words = t.breakers.reset;
const LONGEST_REASON = 500;

/** Support closes it by hand, after saying what follows and why it is done (R-BRK-6). */
export function ResetBreaker(props: ResetBreakerProps) {
  const { breaker, appId, scope, short } = props;
  const [asking, { open, close }] = useDisclosure(false);
  const [reason, setReason] = useState('');
  const [missing, setMissing] = useState(false);
  const trpc = useTRPC();
  const cache = useQueryClient();
  const reset = useMutation(
    trpc.breakers.reset.mutationOptions({
      onSuccess: () => {
        close();
        setReason('');
        notifications.show({ message: words.done(scope) });
        void cache.invalidateQueries({ queryKey: trpc.breakers.pathKey() });
        void cache.invalidateQueries({ queryKey: trpc.support.pathKey() });
      },
    }),
  );
  const confirm = () => {
    setMissing(reason.trim() === '');
    if (reason.trim() === '') return;
    reset.mutate({ appId, environment: breaker.environment, breakerId: breaker.id, reason: reason.trim() });
  };
  return (
    <>
      <Button
        variant={short ? 'default' : 'filled'}
        aria-label={short ? words.ofRow(scope) : undefined}
        onClick={() => {
          reset.reset();
          setMissing(false);
          open();
        }}
      >
        {short ? words.short : words.button}
      </Button>
      <Confirm
        opened={asking}
        onClose={close}
        title={words.title(scope)}
        action={words.action}
        busy={reset.isPending}
        error={reset.error ? errorFacts(reset.error).message : null}
        onConfirm={confirm}
      >
        <Consequences {...props} />
        <Textarea
          data-autofocus
          label={words.reason}
          description={words.reasonNote}
          value={reason}
          rows={2}
          maxLength={LONGEST_REASON}
          error={missing ? words.reasonMissing : null}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
      </Confirm>
    </>
  );
}

function Consequences({ breaker, thresholds }: ResetBreakerProps) {
  const again = thresholds
    ? words.willReopen(
        thresholds.minAttempts,
        Math.round(thresholds.failureRatio * 100),
        span(thresholds.windowMs),
      )
    : words.willReopenPlain;
  return (
    <>
      <p>{words.willClose}</p>
      <p>{words.willSend(breaker.held, isCapped(breaker.held))}</p>
      <p>{again}</p>
    </>
  );
}
