// R-RES-3: a signed webhook.test on the real path, and what came of it.
import type { TestSendAnswer } from './contract';
import { testSendInput } from './inputs';
import { defineVerb } from './verb';

export const sendTest = defineVerb({
  name: 'endpoints.sendTest',
  kind: 'command',
  target: 'app',
  access: { scope: 'deliveries:write', role: 'developer' },
  input: testSendInput,
  audit: { action: 'endpoint.tested', object: (result) => result.event_id },
  wakes: true,
  handler: async (): Promise<TestSendAnswer> => {
    throw new Error('not built yet');
  },
});
