// What a console page is told of commits elsewhere: that something changed, never what.
import { noInput } from './inputs';
import { defineVerb } from './verb';

/** Whether the actor may watch an app's environment now; asked again while a stream runs. */
export const watch = defineVerb({
  name: 'live.changes',
  kind: 'query',
  audit: 'none',
  target: 'environment',
  access: { scope: 'session', role: 'viewer', platform: ['support'] },
  input: noInput,
  handler: async ({ scope }) => scope,
});
