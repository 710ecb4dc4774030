// What every verb is handed. The composition root fills it; tests fill it with a real store and a fake clock.
import type { UrlContext } from '@/server/core/url-guard';
import type { Clock } from '@/server/ports/clock';
import type { Logger } from '@/server/ports/logger';
import type { Random } from '@/server/ports/random';
import type { SecretBox } from '@/server/ports/secret-box';
import type { Change, Store } from '@/server/ports/store';

export interface EngineStatus {
  running: boolean;
  /** Attempts of this engine that are under way. */
  inFlight: number;
  /** Deliveries that are due, those behind gates among them; exact up to 10,000. */
  due: number;
}

/** The engine as the verbs know it. */
export interface EngineHandle {
  /** Looks for work now (R-PUB-6). Repeatable, never throws; a lost kick costs at most 5 s. */
  kick(): void;
  status(): EngineStatus | Promise<EngineStatus>;
}

/** People and organizations, which server/auth keeps. */
export interface Directory {
  user(userId: string): Promise<{ email: string; name: string } | null>;
  organizations(ids: readonly string[]): Promise<readonly { id: string; name: string }[]>;
}

export interface ServiceDeps {
  store: Store;
  clock: Clock;
  random: Random;
  secretBox: SecretBox;
  log: Logger;
  /** What the URL guard needs to know of this installation; living receivers are looked up in the store. */
  guard: Pick<UrlContext, 'allowNetworks' | 'ownHosts'>;
  engine: EngineHandle;
  /** Commits of any process, coarse. */
  changes: { subscribe(listener: (changes: readonly Change[]) => void): () => void };
  directory: Directory;
  /** `https://…` without a slash at its end. */
  publicUrl: string;
  demo: boolean;
}
