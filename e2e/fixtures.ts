// What every browser test stands on: an installation, people who are signed in, receivers, a program with a key, and
// a watch over the browser that fails a test on any word in its console and on any request to somewhere else.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type BrowserContext, test as base, expect, type Page, request } from '@playwright/test';
import type { AppName, Facts, Person } from './facts';
import { type Program, programOf } from './program';
import { type Answer, Receiver } from './receiver';

type Session = Awaited<ReturnType<BrowserContext['storageState']>>;

/** What the browser said that nobody allowed. */
export interface Watch {
  /** This test provokes it: what matches is no failure. */
  allow(said: RegExp): void;
}

interface TestFixtures {
  /** Who looks at `page`; null: nobody is signed in. */
  person: Person | null;
  watch: Watch;
  /** A page in a browser of another person's, under the same watch. */
  pageOf(person: Person): Promise<Page>;
  /** Starts a receiver that is stopped with the test. */
  receive(otherwise?: Answer): Promise<Receiver>;
  /** The program of the app that most tests use, in `test`. */
  program: Program;
}

interface WorkerFixtures {
  installation: Facts;
  programFor(app: AppName, environment?: 'test' | 'live'): Program;
  sessionOf(person: Person): Promise<Session>;
  baseUrl: string;
}

export const test = base.extend<TestFixtures, WorkerFixtures>({
  baseUrl: [
    async ({ browserName: _ }, use, info) => use(String(info.project.use.baseURL)),
    { scope: 'worker' },
  ],
  installation: [
    async ({ baseUrl }, use) => {
      const file = fileURLToPath(
        new URL(`../test-results/e2e-${new URL(baseUrl).port}.json`, import.meta.url),
      );
      await use(JSON.parse(readFileSync(file, 'utf8')) as Facts);
    },
    { scope: 'worker' },
  ],
  programFor: [
    async ({ baseUrl, installation }, use) =>
      use((app, environment) => programOf(baseUrl, installation.apps[app], environment)),
    { scope: 'worker' },
  ],
  sessionOf: [
    async ({ baseUrl, installation }, use) => {
      const known = new Map<Person, Promise<Session>>();
      const signIn = async (person: Person): Promise<Session> => {
        const client = await request.newContext({ baseURL: baseUrl, extraHTTPHeaders: { origin: baseUrl } });
        const answer = await client.post('/api/auth/sign-in/email', { data: installation.people[person] });
        expect(answer.status(), `sign-in of ${person}`).toBe(200);
        const session = await client.storageState();
        await client.dispose();
        return session;
      };
      await use((person) => {
        const session = known.get(person) ?? signIn(person);
        known.set(person, session);
        return session;
      });
    },
    { scope: 'worker' },
  ],

  person: ['owner', { option: true }],
  storageState: async ({ person, sessionOf }, use) =>
    use(person === null ? undefined : await sessionOf(person)),
  context: async ({ context, watch }, use) => {
    watching(watch).over(context);
    await use(context);
  },
  watch: async ({ baseUrl }, use) => {
    const watch = new BrowserWatch(baseUrl);
    await use(watch);
    expect(watch.said(), 'what the browser said').toEqual([]);
  },
  pageOf: async ({ browser, watch, sessionOf }, use) => {
    const contexts: BrowserContext[] = [];
    await use(async (person) => {
      const context = await browser.newContext({ storageState: await sessionOf(person) });
      contexts.push(context);
      watching(watch).over(context);
      return context.newPage();
    });
    for (const context of contexts) await context.close();
  },
  receive: async ({ baseUrl: _ }, use) => {
    const receivers: Receiver[] = [];
    await use(async (otherwise) => {
      const receiver = await Receiver.start(otherwise);
      receivers.push(receiver);
      return receiver;
    });
    for (const receiver of receivers) await receiver.stop();
  },
  program: async ({ programFor }, use) => use(programFor('shop')),
});

class BrowserWatch implements Watch {
  readonly #home: string;
  readonly #said: string[] = [];
  readonly #allowed: RegExp[] = [];

  constructor(home: string) {
    this.#home = home;
  }

  allow(said: RegExp): void {
    this.#allowed.push(said);
  }

  /** Everything that a browser puts into its console, policy violations among it, and every way out. */
  over(context: BrowserContext): void {
    context.on('console', (message) => {
      if (['error', 'warning', 'assert'].includes(message.type())) {
        this.#said.push(`${message.type()}: ${message.text()} (${message.location().url})`);
      }
    });
    context.on('weberror', (error) => this.#said.push(`thrown: ${error.error().stack ?? error.error()}`));
    context.on('dialog', (dialog) => {
      this.#said.push(`dialog: ${dialog.type()} ${dialog.message()}`);
      void dialog.dismiss();
    });
    context.on('request', (sent) => {
      if (!/^(data|blob|about):/.test(sent.url()) && new URL(sent.url()).origin !== this.#home) {
        this.#said.push(`request: ${sent.url()}`);
      }
    });
  }

  said(): string[] {
    return this.#said.filter((line) => !this.#allowed.some((pattern) => pattern.test(line)));
  }
}

function watching(watch: Watch): BrowserWatch {
  if (watch instanceof BrowserWatch) return watch;
  throw new Error('somebody replaced the watch');
}

export { expect };
