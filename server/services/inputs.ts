// Inputs of the verbs, in the program's spelling; REST's snake_case ones (contract.ts) are mapped onto these.
import { z } from 'zod';
import { deliveryStatusSchema, errorClassSchema, pageInput, reasonSchema, triggerSchema } from './contract';

/** Long enough for every id there is; what is no id is simply not found. */
export const idInput = z.string().max(120);

const instant = z.iso.datetime({ offset: true });

export const deliveryFilterShape = {
  status: deliveryStatusSchema.optional(),
  type: z.string().max(128).optional(),
  endpointId: idInput.optional(),
  reason: reasonSchema.optional(),
  errorClass: errorClassSchema.optional(),
  code: z.number().int().min(100).max(599).optional(),
  trigger: triggerSchema.optional(),
  money: z.boolean().optional(),
  createdAfter: instant.optional(),
  createdBefore: instant.optional(),
};

export const deliveryListVerbInput = z.strictObject({ ...pageInput, ...deliveryFilterShape });
export type DeliveryListVerbInput = z.output<typeof deliveryListVerbInput>;

/** Rows that came after this delivery under the same filter. */
export const deliveryNewerVerbInput = z.strictObject({ ...deliveryFilterShape, after: idInput.optional() });

export const eventListVerbInput = z.strictObject({
  ...pageInput,
  order: z.enum(['asc', 'desc']).default('desc'),
  status: deliveryStatusSchema.optional(),
  type: z.string().max(128).optional(),
  endpointId: idInput.optional(),
  resource: z.string().max(255).optional(),
  delivered: z.enum(['true', 'false', 'none']).optional(),
  createdAfter: instant.optional(),
  createdBefore: instant.optional(),
  fields: z.string().max(400).optional(),
});
export type EventListVerbInput = z.output<typeof eventListVerbInput>;

export const noInput = z.strictObject({});
export const deliveryInput = z.strictObject({ deliveryId: idInput });
export const eventInput = z.strictObject({ eventId: idInput });
export const endpointInput = z.strictObject({ endpointId: idInput });
export const breakerInput = z.strictObject({ breakerId: idInput });
export const resendInput = z.strictObject({ eventId: idInput, endpointId: idInput.optional() });
export const breakerResetInput = z.strictObject({
  breakerId: idInput,
  reason: z.string().trim().min(1, 'Say why: the reason is kept in the audit log.').max(500),
});
export const testSendInput = z.strictObject({
  /** Left out: the endpoint with the lowest number. */
  endpointId: idInput.optional(),
  /** A type of the catalogue whose example is sent instead of `webhook.test`; in `test` alone. */
  type: z.string().max(128).optional(),
});

/** A page of a list. */
export interface Page<T> {
  data: T[];
  next_cursor: string | null;
}

/** A count that never walks a table: `capped` says that there are more. */
export interface BoundedCount {
  count: number;
  capped: boolean;
}
