import { getBreaker, listBreakers, resetBreaker, supportBreakers } from '@/server/services/breakers';
import { callOnPage, pageInput, procedure, router } from '../init';

export const breakersRouter = router({
  list: procedure
    .input(pageInput(listBreakers))
    .query(({ ctx, input }) => callOnPage(listBreakers, { ctx, input })),
  get: procedure
    .input(pageInput(getBreaker))
    .query(({ ctx, input }) => callOnPage(getBreaker, { ctx, input })),
  reset: procedure
    .input(pageInput(resetBreaker))
    .mutation(({ ctx, input }) => callOnPage(resetBreaker, { ctx, input })),
});

export const supportRouter = router({
  /** Every breaker that is not closed, of all organizations. */
  breakers: procedure.query(({ ctx }) => supportBreakers.call(ctx, { input: {} })),
});
