'use client';

import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { EndpointResource } from '@/server/services/contract';
import { t } from '../messages';
import { usePlace } from '../shell/place';
import { useTRPC } from '../trpc';
import { Confirm } from '../ui/confirm';
import { errorFacts } from '../ui/error-facts';
import classes from './endpoints.module.css';
import { PendingNote } from './pending-note';

/** Enables at once; disabling asks first, since what is pending is skipped (R-FAIL-4). */
export function StatusSwitch({ endpoint, name }: { endpoint: EndpointResource; name: string }) {
  const [asking, { open, close }] = useDisclosure(false);
  const trpc = useTRPC();
  const cache = useQueryClient();
  const place = usePlace();
  const update = useMutation(
    trpc.endpoints.update.mutationOptions({
      onSuccess: (updated) => {
        close();
        cache.setQueryData(trpc.endpoints.get.queryKey({ ...place, endpointId: updated.id }), updated);
        void cache.invalidateQueries({ queryKey: trpc.endpoints.list.queryKey() });
        void cache.invalidateQueries({ queryKey: trpc.breakers.list.queryKey() });
      },
    }),
  );
  const set = (status: 'active' | 'disabled') => update.mutate({ ...place, endpointId: endpoint.id, status });
  const error = update.error ? errorFacts(update.error).message : null;
  if (endpoint.status !== 'active') {
    return (
      <>
        <Button variant="filled" disabled={update.isPending} onClick={() => set('active')}>
          {update.isPending ? t.endpoints.enabling : t.endpoints.enable}
        </Button>
        {error ? (
          <span className={classes.problem} role="alert">
            {error}
          </span>
        ) : null}
      </>
    );
  }
  const words = t.endpoints.disableAsk;
  return (
    <>
      <Button
        onClick={() => {
          update.reset();
          open();
        }}
      >
        {t.endpoints.disable}
      </Button>
      <Confirm
        opened={asking}
        onClose={close}
        title={words.title(name)}
        action={words.action}
        danger
        busy={update.isPending}
        error={error}
        onConfirm={() => set('disabled')}
      >
        <PendingNote endpointId={endpoint.id} words={words} say={words.skipped} />
        <p>{words.after}</p>
      </Confirm>
    </>
  );
}
