import { createEndpoint, removeEndpoint, updateEndpoint } from '@/server/services/endpoint-changes';
import { endpointPending, getEndpoint, listEndpoints } from '@/server/services/endpoints';
import { sendTest } from '@/server/services/test-sends';
import { callOnPage, pageInput, procedure, router } from '../init';

export const endpointsRouter = router({
  list: procedure
    .input(pageInput(listEndpoints))
    .query(({ ctx, input }) => callOnPage(listEndpoints, { ctx, input })),
  get: procedure
    .input(pageInput(getEndpoint))
    .query(({ ctx, input }) => callOnPage(getEndpoint, { ctx, input })),
  create: procedure
    .input(pageInput(createEndpoint))
    .mutation(({ ctx, input }) => callOnPage(createEndpoint, { ctx, input })),
  update: procedure
    .input(pageInput(updateEndpoint))
    .mutation(({ ctx, input }) => callOnPage(updateEndpoint, { ctx, input })),
  remove: procedure
    .input(pageInput(removeEndpoint))
    .mutation(({ ctx, input }) => callOnPage(removeEndpoint, { ctx, input })),
  /** How many pending deliveries would go with it, exact up to 10,000. */
  pending: procedure
    .input(pageInput(endpointPending))
    .query(({ ctx, input }) => callOnPage(endpointPending, { ctx, input })),
  sendTest: procedure
    .input(pageInput(sendTest))
    .mutation(({ ctx, input }) => callOnPage(sendTest, { ctx, input })),
});
