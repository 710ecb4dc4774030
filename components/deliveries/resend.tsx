'use client';

import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { DeliveryDetail } from '@/server/services/contract';
import { useRights } from '../endpoints/use-rights';
import { t } from '../messages';
import { usePlace } from '../shell/place';
import { useTRPC } from '../trpc';
import { useNow, useZone } from '../ui/clock';
import { Confirm } from '../ui/confirm';
import { errorFacts } from '../ui/error-facts';
import classes from './deliveries.module.css';
import { resendNotes } from './sentence';

/** Sends the event again, after saying what that replaces. "Queued" stays until the attempt exists. */
export function Resend({ detail }: { detail: DeliveryDetail }) {
  const [asking, { open, close }] = useDisclosure(false);
  const trpc = useTRPC();
  const cache = useQueryClient();
  const place = usePlace();
  const now = useNow();
  const zone = useZone();
  const { isMember, sendsTests: mayResend } = useRights();
  const { delivery, resendBlocked, endpointLabel } = detail;
  const resend = useMutation(
    trpc.deliveries.resend.mutationOptions({
      onSuccess: () => {
        close();
        void cache.invalidateQueries({ queryKey: trpc.deliveries.get.queryKey() });
      },
    }),
  );
  const send = () =>
    resend.mutate({ ...place, eventId: delivery.event_id, endpointId: delivery.endpoint_id ?? undefined });
  const queued = resend.isSuccess && !detail.attempts.some((attempt) => attempt.cycle === delivery.cycle);
  const label = endpointLabel ? t.delivery.resend.button(endpointLabel) : t.delivery.resend.buttonShort;
  const blocked = resendBlocked ? t.delivery.resend.blocked[resendBlocked] : null;
  const reason = mayResend || !isMember ? blocked : t.delivery.resend.mayNot;
  return (
    <>
      <Button
        variant={delivery.status === 'failed' || delivery.status === 'skipped' ? 'filled' : 'default'}
        disabled={!mayResend || resendBlocked !== null}
        onClick={() => {
          resend.reset();
          open();
        }}
      >
        {label}
      </Button>
      {reason ? <span className={classes.quiet}>{reason}</span> : null}
      {queued ? (
        <span className={classes.queued} role="status">
          {t.delivery.resend.queued}
        </span>
      ) : null}
      <Confirm
        opened={asking}
        onClose={close}
        title={`${label}?`}
        action={label}
        busy={resend.isPending}
        error={resend.error ? errorFacts(resend.error).message : null}
        onConfirm={send}
      >
        {resendNotes(detail, now, zone).map((note) => (
          <p key={note}>{note}</p>
        ))}
      </Confirm>
    </>
  );
}
