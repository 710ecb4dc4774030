// What the demo's data folder remembers: who may sign in, and that it is a demo for good.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writePrivateFile } from '@/server/adapters/data-folder';
import { DEMO_MARKER } from '@/server/env';

export interface DemoLogin {
  email: string;
  password: string;
}

export interface DemoFacts {
  merchant: DemoLogin;
  support: DemoLogin;
  /** Public id of the demo's app. */
  appId: string;
  /** A key with every merchant's scope, for trying the API from a terminal. */
  apiKey: string;
}

/** Null in a folder whose demo is not made yet (or is none). */
export function readDemoFacts(folder: string): DemoFacts | null {
  const path = join(folder, DEMO_MARKER);
  if (!existsSync(path)) return null;
  const facts = JSON.parse(readFileSync(path, 'utf8')) as Partial<DemoFacts>;
  return facts.merchant && facts.support && facts.appId && facts.apiKey ? (facts as DemoFacts) : null;
}

export function writeDemoFacts(folder: string, facts: DemoFacts | Record<string, never>): void {
  writePrivateFile(join(folder, DEMO_MARKER), `${JSON.stringify(facts, null, 2)}\n`);
}
