import { getMe, navCounts } from '@/server/services/me';
import { callOnPage, pageInput, procedure, router } from '../init';

export const meRouter = router({
  get: procedure.query(({ ctx }) => getMe.call(ctx, { input: {} })),
});

export const navRouter = router({
  counts: procedure
    .input(pageInput(navCounts))
    .query(({ ctx, input }) => callOnPage(navCounts, { ctx, input })),
});
