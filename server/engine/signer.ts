// Invariant: nothing unsigned is ever sent (R-ATT-9); a claim is either complete and signed, or it is not sent.
import { headersIdentity, secretIdentity } from '@/server/core/sealed-identity';
import { prepareKey, type SigningKey, sign } from '@/server/core/signature';
import type { SecretRow } from '@/server/ports/records';
import type { SecretBox } from '@/server/ports/secret-box';
import type { Claim } from '@/server/ports/store';

const KEPT_KEYS = 10_000;

export type Header = readonly [string, string];
export type Prepared = { ok: true; headers: readonly Header[] } | { ok: false; why: string };

export interface SignerDeps {
  secretBox: SecretBox;
  userAgent: string;
  spanId: () => string;
}

/** Headers of one attempt, signed now: fresh timestamp and signature each time, the event's id always (R-SIG-1). */
export function createSigner(deps: SignerDeps) {
  const keys = new Map<string, SigningKey>();

  const keyOf = (secret: SecretRow, claim: Claim): SigningKey | null => {
    const { scheme } = claim.policy.signature;
    const id = `${secret.id}/${secret.sealed.keyId}/${scheme}`;
    const known = keys.get(id);
    if (known) return known;
    const opened = deps.secretBox.open(secret.sealed, secretIdentity(secret));
    if (!opened.ok) return null;
    if (keys.size >= KEPT_KEYS) keys.clear();
    const key = prepareKey(scheme, opened.plain);
    if (key) keys.set(id, key);
    return key;
  };

  const ownHeaders = (claim: Claim): readonly Header[] | null => {
    if (!claim.sealedHeaders) return [];
    const opened = deps.secretBox.open(claim.sealedHeaders, headersIdentity(claim));
    return opened.ok ? (JSON.parse(opened.plain) as Header[]) : null;
  };

  return {
    prepare(claim: Claim, now: number): Prepared {
      const signing: SigningKey[] = [];
      for (const secret of claim.secrets) {
        const key = keyOf(secret, claim);
        if (!key) return { ok: false, why: `secret ${secret.version} of the endpoint does not open` };
        signing.push(key);
      }
      if (signing.length === 0) return { ok: false, why: 'the endpoint has no secret' };
      const own = ownHeaders(claim);
      if (!own) return { ok: false, why: 'the own headers of the endpoint do not open' };
      const signed = sign({
        settings: claim.policy.signature,
        eventId: claim.eventPublicId,
        timestampSec: Math.floor(now / 1_000),
        body: claim.body,
        keys: signing,
      });
      const headers: Header[] = [
        ['content-type', claim.contentType],
        ['user-agent', deps.userAgent],
        ...signed,
        ...own,
      ];
      if (claim.policy.traceparent) headers.push(['traceparent', traceparent(claim, deps.spanId())]);
      return { ok: true, headers };
    },
    /** Keys may have changed: open everything anew. */
    forget() {
      keys.clear();
    },
  };
}

export type Signer = ReturnType<typeof createSigner>;

/** W3C trace context: one trace per event, one span per attempt. */
function traceparent(claim: Claim, spanId: string): string {
  const trace = Buffer.from(claim.eventPublicId).toString('hex').slice(-32).padStart(32, '0');
  return `00-${trace}-${spanId}-01`;
}
