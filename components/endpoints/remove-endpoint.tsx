'use client';

import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import type { EndpointResource } from '@/server/services/contract';
import { t } from '../messages';
import { placePath } from '../shell/navigation-items';
import { usePlace } from '../shell/place';
import { useTRPC } from '../trpc';
import { Confirm } from '../ui/confirm';
import { errorFacts } from '../ui/error-facts';
import { PendingNote } from './pending-note';

/** Deletes it after saying with numbers what goes with it, and after its name was typed. */
export function RemoveEndpoint({ endpoint, name }: { endpoint: EndpointResource; name: string }) {
  const [asking, { open, close }] = useDisclosure(false);
  const trpc = useTRPC();
  const cache = useQueryClient();
  const place = usePlace();
  const router = useRouter();
  const remove = useMutation(
    trpc.endpoints.remove.mutationOptions({
      onSuccess: () => {
        router.push(placePath(place, 'endpoints'));
        void cache.invalidateQueries({ queryKey: trpc.endpoints.list.queryKey() });
        void cache.invalidateQueries({ queryKey: trpc.breakers.list.queryKey() });
      },
    }),
  );
  const words = t.endpoints.removeAsk;
  return (
    <>
      <Button
        color="bad"
        onClick={() => {
          remove.reset();
          open();
        }}
      >
        {t.endpoints.remove}
      </Button>
      <Confirm
        opened={asking}
        onClose={close}
        title={words.title(name)}
        action={words.action}
        danger
        typeName={name}
        busy={remove.isPending || remove.isSuccess}
        error={remove.error ? errorFacts(remove.error).message : null}
        onConfirm={() => remove.mutate({ ...place, endpointId: endpoint.id })}
      >
        <PendingNote endpointId={endpoint.id} words={words} say={words.pending} />
        <p>{words.rest}</p>
      </Confirm>
    </>
  );
}
