// Slows guessing down without ever locking a person out (D12). Counts live in this process and do not survive a
// restart; the password's own cost (scrypt) does.

export interface SignInLimit {
  /** How long this account has to wait before its next try, ms; 0: none. */
  waitMs(account: string): number;
  failed(account: string): void;
  succeeded(account: string): void;
}

interface Failures {
  count: number;
  lastAt: number;
}

/** Failures that cost nothing, and the span in which they are counted. */
export const FREE_FAILURES = 5;
export const FAILURE_WINDOW_MS = 15 * 60_000;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;
/** Accounts that are remembered; the longest quiet one is forgotten first. */
const REMEMBERED = 10_000;

/**
 * The wait after `count` failures in a row, ms: none for five, then 1, 2, 4 … seconds, at most a minute. A minute is
 * 1,440 guesses a day, and an owner who is being guessed at still gets in. D12.
 */
export function waitAfter(count: number): number {
  if (count < FREE_FAILURES) return 0;
  return Math.min(FIRST_WAIT_MS * 2 ** Math.min(count - FREE_FAILURES, 16), LONGEST_WAIT_MS);
}

/** A limit per account as it was typed, known to us or not, so that an answer tells nothing about which. D12. */
export function createSignInLimit(now: () => number): SignInLimit {
  const accounts = new Map<string, Failures>();
  const current = (account: string): Failures | undefined => {
    const failures = accounts.get(keyOf(account));
    return failures !== undefined && now() - failures.lastAt < FAILURE_WINDOW_MS ? failures : undefined;
  };
  return {
    waitMs(account) {
      const failures = current(account);
      if (failures === undefined) return 0;
      return Math.max(failures.lastAt + waitAfter(failures.count) - now(), 0);
    },
    failed(account) {
      const count = (current(account)?.count ?? 0) + 1;
      const key = keyOf(account);
      accounts.delete(key);
      accounts.set(key, { count, lastAt: now() });
      forgetQuietest(accounts);
    },
    succeeded(account) {
      accounts.delete(keyOf(account));
    },
  };
}

function keyOf(account: string): string {
  return account.trim().toLowerCase().slice(0, 320);
}

/** A Map keeps its order of insertion: the first key is the one that failed longest ago. */
function forgetQuietest(accounts: Map<string, Failures>): void {
  if (accounts.size <= REMEMBERED) return;
  const [quietest] = accounts.keys();
  if (quietest !== undefined) accounts.delete(quietest);
}
