import { afterAll, beforeAll, describe } from 'vitest';
import { type Dialect, setDialect } from './world';

/** Days of virtual time are thousands of turns, each of which asks a server; ms. */
const TIMEOUT_MS: Readonly<Record<Dialect, number>> = { SQLite: 60_000, PostgreSQL: 180_000 };
const DIALECTS: readonly Dialect[] = ['SQLite', 'PostgreSQL'];

/** The same suite on each database: every world in it that brings no store of its own is on that one. */
export function describeOnEach(name: string, suite: () => void): void {
  for (const dialect of DIALECTS) {
    describe(`${name} on ${dialect}`, { timeout: TIMEOUT_MS[dialect] }, () => {
      beforeAll(() => setDialect(dialect));
      afterAll(() => setDialect('SQLite'));
      suite();
    });
  }
}
