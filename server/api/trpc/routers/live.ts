import { tracked } from '@trpc/server';
import { z } from 'zod';
import type { Change } from '@/server/ports/store';
import { watch } from '@/server/services/live';
import { ServiceError } from '@/server/services/service-error';
import { pageShape, procedure, router } from '../init';
import { ticks } from '../live-ticks';

export interface LiveTick {
  kinds: Change['kind'][];
  /** Epoch ms. */
  at: number;
}

export const liveRouter = router({
  /** A small tick, at most every 250 ms, when the page's app and environment changed. */
  changes: procedure
    .input(z.strictObject({ ...pageShape, lastEventId: z.string().max(40).nullish() }))
    .subscription(async function* ({ ctx, input, signal }) {
      const { appId, environment } = input;
      const admit = async () => {
        const actor = ctx.refreshActor === undefined ? ctx.actor : await ctx.refreshActor();
        if (actor === null) throw new ServiceError('unauthorized', 'Sign in again.');
        return watch.call({ ...ctx, actor }, { appId, environment, input: {} });
      };
      // Whoever comes back may have missed something: the first tick is at once.
      const stirred = typeof input.lastEventId === 'string';
      for await (const tick of ticks({ deps: ctx.deps, admit, signal, stirred })) {
        yield tracked(String(tick.at), tick satisfies LiveTick);
      }
    }),
});
