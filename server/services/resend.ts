// R-RES-1, R-RES-2: a resend begins a new cycle, whatever the event's status.
import type { ResendAnswer } from './contract';
import { resendInput } from './inputs';
import { defineVerb } from './verb';

export const resend = defineVerb({
  name: 'deliveries.resend',
  kind: 'command',
  target: 'app',
  access: { scope: 'deliveries:write', role: 'developer' },
  input: resendInput,
  audit: { action: 'delivery.resent', object: (_result, input) => input.eventId },
  wakes: true,
  handler: async (): Promise<ResendAnswer> => {
    throw new Error('not built yet');
  },
});
