import { tracked } from '@trpc/server';
import { z } from 'zod';
import type { Change } from '@/server/ports/store';
import { watch } from '@/server/services/live';
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
      const admit = () => watch.call(ctx, { appId, environment, input: {} });
      for await (const tick of ticks({ deps: ctx.deps, admit, signal })) {
        yield tracked(String(tick.at), tick satisfies LiveTick);
      }
    }),
});
