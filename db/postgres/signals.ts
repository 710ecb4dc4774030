import pg from 'pg';
import type { Change } from '@/server/ports/store';

/** What a commit tells the other processes. */
interface Payload {
  /** The store that committed; it has told its own listeners already. */
  from: string;
  changes: readonly Change[];
}

const CHANNEL = 'hookladder';
/** NOTIFY takes less than 8,000 bytes. */
const CHANGES_IN_PAYLOAD = 60;
const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 5_000;

export interface SignalOptions {
  url: string;
  /** Tells this store from others. */
  id: string;
  sleep: (ms: number) => Promise<void>;
  onWarning?: (event: string, fields: object) => void;
}

/** Wake-ups: what this store commits, and what others say of theirs. Hints: a lost one costs one poll. */
export interface Signals {
  /** In the transaction: tells the other processes of `changes` when it commits. */
  statement(changes: readonly Change[]): { text: string; payloads: readonly string[] };
  /** After the commit. */
  committed(changes: readonly Change[]): void;
  add(listener: (changes: readonly Change[]) => void): () => void;
  version(): number;
  /** Resolves while what others commit is heard. */
  listening(): Promise<void>;
  close(): Promise<void>;
}

function isPayload(value: unknown): value is Payload {
  return typeof value === 'object' && value !== null && 'from' in value && 'changes' in value;
}

function parse(text: string | undefined): Payload | null {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return isPayload(value) ? value : null;
  } catch {
    return null;
  }
}

function payloadsOf(from: string, changes: readonly Change[]): string[] {
  const payloads: string[] = [];
  for (let at = 0; at === 0 || at < changes.length; at += CHANGES_IN_PAYLOAD) {
    payloads.push(JSON.stringify({ from, changes: changes.slice(at, at + CHANGES_IN_PAYLOAD) }));
  }
  return payloads;
}

/** A connection that listens, and opens itself again when it breaks. */
class Ear {
  private client: pg.Client | null = null;
  private closed = false;
  private heard: (() => void)[] = [];
  private connected = false;
  private readonly loop: Promise<void>;

  constructor(
    private readonly options: SignalOptions,
    private readonly on: { payload: (payload: Payload) => void; connected: () => void },
  ) {
    this.loop = this.run();
  }

  get isListening(): boolean {
    return this.connected;
  }

  listening(): Promise<void> {
    if (this.connected) return Promise.resolve();
    return new Promise((resolve) => this.heard.push(resolve));
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.client?.end().catch(() => undefined);
    await this.loop;
  }

  private async run(): Promise<void> {
    for (let wait = FIRST_WAIT_MS; !this.closed; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
      try {
        await this.listen(() => {
          wait = FIRST_WAIT_MS;
        });
      } catch (error) {
        if (!this.closed) this.options.onWarning?.('listening_stopped', { error: String(error) });
      }
      this.connected = false;
      if (!this.closed) await this.options.sleep(wait);
    }
  }

  /** Ends when the connection does. */
  private async listen(started: () => void): Promise<void> {
    const client = new pg.Client({
      connectionString: this.options.url,
      application_name: 'hookladder listener',
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      connectionTimeoutMillis: 10_000,
    });
    this.client = client;
    const ended = new Promise<void>((resolve, reject) => {
      client.once('end', () => resolve());
      client.on('error', reject);
    });
    ended.catch(() => undefined);
    client.on('notification', ({ payload }) => {
      const told = parse(payload);
      if (told !== null) this.on.payload(told);
    });
    try {
      await client.connect();
      await client.query(`LISTEN ${CHANNEL}`);
      started();
      this.connected = true;
      for (const resolve of this.heard.splice(0)) resolve();
      this.on.connected();
      await ended;
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}

export function createSignals(options: SignalOptions): Signals {
  const { id, onWarning } = options;
  const listeners = new Set<(changes: readonly Change[]) => void>();
  let version = 1;
  let wasHeard = false;

  /** A listener's fault is not the transaction's: that is committed. */
  const tell = (changes: readonly Change[]) => {
    version += 1;
    for (const listener of listeners) {
      try {
        listener(changes);
      } catch (error) {
        onWarning?.('listener_failed', { error: String(error) });
      }
    }
  };

  const ear = new Ear(options, {
    payload: ({ from, changes }) => {
      if (from !== id) tell(changes);
    },
    connected: () => {
      // What was committed meanwhile was not heard.
      if (wasHeard) tell([]);
      wasHeard = true;
    },
  });

  return {
    statement: (changes) => ({
      text: `SELECT pg_notify('${CHANNEL}', $1)`,
      payloads: payloadsOf(id, changes),
    }),
    committed(changes) {
      if (changes.length > 0) tell(changes);
      else version += 1;
    },
    add(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    version() {
      // While nothing is heard, anything may have changed.
      if (!ear.isListening) version += 1;
      return version;
    },
    listening: () => ear.listening(),
    close: () => ear.close(),
  };
}
