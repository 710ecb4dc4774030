import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { SignatureSettings } from '@/server/core/policy';
import { newSecret, prepareKey, type SigningKey, sign } from '@/server/core/signature';

type Verify = (headers: Record<string, string>, body: Buffer, secrets: string[], prefix?: string) => boolean;

const page = readFileSync(join(fileURLToPath(new URL('.', import.meta.url)), 'receivers.md'), 'utf8');
const code = [...page.matchAll(/^```js\n([\s\S]*?)^```$/gm)].map((match) => match[1]).join('\n');
const verifiers = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as Record<
  string,
  Verify
>;

const BODY = Buffer.from('{"amount":9007199254740993,"rate":1.0,"note":"₮ 4 120"}\n');
const OLD = newSecret(new Uint8Array(32).fill(3));
const NEW = newSecret(Uint8Array.from({ length: 32 }, (_, n) => n * 7));
const SCHEMES: ReadonlyArray<readonly [name: string, settings: SignatureSettings, carriesTwo: boolean]> = [
  ['verifyStandardWebhooks', { scheme: 'standard-webhooks' }, true],
  ['verifyTimestamped', { scheme: 'timestamped' }, false],
  ['verifyTV1', { scheme: 't-v1' }, true],
  ['verifyBody', { scheme: 'body' }, false],
  ['verifyBody', { scheme: 'body', prefix: 'sha256=' }, false],
];

function keyOf(settings: SignatureSettings, secret: string): SigningKey {
  const key = prepareKey(settings.scheme, secret);
  if (key === null) throw new TypeError('no secret of this scheme');
  return key;
}

/** Headers as a Node server sees them. */
function headersOf(
  settings: SignatureSettings,
  secrets: readonly string[],
  ageSec = 0,
): Record<string, string> {
  const timestampSec = Math.floor(Date.now() / 1000) - ageSec;
  const keys = secrets.map((secret) => keyOf(settings, secret));
  const entries = sign({ settings, eventId: 'evt_1', timestampSec, body: BODY, keys });
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), value]));
}

describe.each(SCHEMES)('%s as printed for receivers, %o', (name, settings, carriesTwo) => {
  const verify = (headers: Record<string, string>, body: Buffer, secrets: string[]) =>
    verifiers[name]?.(headers, body, secrets, settings.prefix);

  it('R-SIG-0 R-SIG-4 accepts what is sent', () => {
    expect(verify(headersOf(settings, [NEW]), BODY, [NEW])).toBe(true);
  });

  it('R-SIG-0 R-SIG-4 refuses one changed byte, another secret, and no headers', () => {
    const changed = Buffer.from(BODY);
    changed[5] = (changed[5] ?? 0) ^ 1;
    expect(verify(headersOf(settings, [NEW]), changed, [NEW])).toBe(false);
    expect(verify(headersOf(settings, [NEW]), BODY, [OLD])).toBe(false);
    expect(verify({}, BODY, [NEW])).toBe(false);
  });

  it('R-SIG-2 accepts both secrets of a rotation', () => {
    expect(verify(headersOf(settings, [NEW, OLD]), BODY, [OLD, NEW])).toBe(true);
    expect(verify(headersOf(settings, [NEW, OLD]), BODY, [OLD])).toBe(carriesTwo);
  });

  it('R-SIG-1 refuses an old time where the scheme has one', () => {
    expect(verify(headersOf(settings, [NEW], 400), BODY, [NEW])).toBe(settings.scheme === 'body');
  });
});
