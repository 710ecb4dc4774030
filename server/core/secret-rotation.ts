/**
 * Invariant: at most two secrets of an endpoint are live, and exactly one of them, the newest, has no end
 * (R-SIG-2, D23).
 */

/** The part of a secret's row that rotation reads. Instants are epoch ms. */
export interface SecretVersion {
  version: number;
  createdAt: number;
  /** End of its overlap; null for the newest. */
  expiresAt: number | null;
}

export interface RotationOptions {
  /** How long the old secret signs beside the new one, ms: 0 to 7 d, 24 h unless told. */
  overlapMs?: number;
  /** Rotate although an overlap runs: the oldest secret then ends at once. */
  force?: boolean;
}

export type Rotation =
  | {
      ok: true;
      /** The new secret's version. */
      version: number;
      /** When each secret that was live ends. */
      expiries: readonly { version: number; expiresAt: number }[];
    }
  | { ok: false; why: 'overlap_running'; version: number; overlapEndsAt: number; message: string }
  | { ok: false; why: 'overlap_out_of_range'; message: string };

export const DEFAULT_OVERLAP_MS = 24 * 3_600_000;
export const MAX_OVERLAP_MS = 7 * 24 * 3_600_000;

/** The secrets that sign now, newest first (R-SIG-2). */
export function liveSecrets<T extends SecretVersion>(now: number, secrets: readonly T[]): T[] {
  return secrets
    .filter(({ expiresAt }) => expiresAt === null || expiresAt > now)
    .sort((a, b) => b.version - a.version);
}

/** Whether a secret may be rotated now, and what becomes of those there are (R-SIG-2, R-SIG-6). */
export function rotate(
  now: number,
  secrets: readonly SecretVersion[],
  options: RotationOptions = {},
): Rotation {
  const { overlapMs = DEFAULT_OVERLAP_MS, force = false } = options;
  if (!Number.isInteger(overlapMs) || overlapMs < 0 || overlapMs > MAX_OVERLAP_MS) {
    return { ok: false, why: 'overlap_out_of_range', message: 'The overlap must be between 0 and 7 days.' };
  }
  const [newest, ...older] = liveSecrets(now, secrets);
  const ending = older[0];
  if (ending !== undefined && !force) {
    const overlapEndsAt = ending.expiresAt ?? now;
    const until = new Date(overlapEndsAt).toISOString();
    const message = `Version ${ending.version} still signs beside version ${newest?.version} until ${until}. Rotating now would end it at once; wait, or force the rotation.`;
    return { ok: false, why: 'overlap_running', version: ending.version, overlapEndsAt, message };
  }
  const version = secrets.reduce((highest, secret) => Math.max(highest, secret.version), 0) + 1;
  const expiries = older.map((secret) => ({ version: secret.version, expiresAt: now }));
  if (newest !== undefined) expiries.unshift({ version: newest.version, expiresAt: now + overlapMs });
  return { ok: true, version, expiries };
}
