import { getDeliveryDetail, listDeliveries, newerDeliveries, typesInUse } from '@/server/services/deliveries';
import { resend } from '@/server/services/resend';
import { callOnPage, pageInput, procedure, router } from '../init';

export const deliveriesRouter = router({
  list: procedure
    .input(pageInput(listDeliveries))
    .query(({ ctx, input }) => callOnPage(listDeliveries, { ctx, input })),
  /** How many came after a delivery under the same filter, at most 100. */
  newer: procedure
    .input(pageInput(newerDeliveries))
    .query(({ ctx, input }) => callOnPage(newerDeliveries, { ctx, input })),
  /** Everything that a delivery's page shows. */
  get: procedure
    .input(pageInput(getDeliveryDetail))
    .query(({ ctx, input }) => callOnPage(getDeliveryDetail, { ctx, input })),
  types: procedure
    .input(pageInput(typesInUse))
    .query(({ ctx, input }) => callOnPage(typesInUse, { ctx, input })),
  resend: procedure.input(pageInput(resend)).mutation(({ ctx, input }) => callOnPage(resend, { ctx, input })),
});
