import { expect, it } from 'vitest';
import type { SignatureScheme } from '@/server/core/policy';
import { newSecret, prepareKey, sign, signatureHeaders } from '@/server/core/signature';
import { LANGUAGES, verifySnippet } from './snippets';
import { SCHEME_FACTS } from './snippets/scheme';

const SCHEMES: readonly SignatureScheme[] = ['standard-webhooks', 'timestamped', 't-v1', 'body'];
const NOW_SEC = Math.floor(Date.now() / 1_000);
const SECRET = newSecret(new Uint8Array(32).fill(7));
const OTHER = newSecret(new Uint8Array(32).fill(9));
const BODY = Buffer.from('{"amount":"4120000","note":"ширхэг"}');

function signed(scheme: SignatureScheme, secrets: string[], timestampSec = NOW_SEC): Record<string, string> {
  const keys = secrets.flatMap((secret) => prepareKey(scheme, secret) ?? []);
  const entries = sign({ settings: { scheme }, eventId: 'evt_1', timestampSec, body: BODY, keys });
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), value]));
}

type Verify = (headers: Record<string, string>, body: Buffer, secret: string) => boolean;

async function load(scheme: SignatureScheme): Promise<Verify> {
  const code = verifySnippet('node', scheme);
  const url = `data:text/javascript;base64,${Buffer.from(code).toString('base64')}`;
  const { verify } = (await import(/* @vite-ignore */ url)) as { verify: Verify };
  return verify;
}

it.each(SCHEMES)('R-SIG-0 the names in a %s snippet are those that are sent', (scheme) => {
  expect(SCHEME_FACTS[scheme]).toEqual(signatureHeaders({ scheme }));
  for (const language of LANGUAGES) {
    const code = verifySnippet(language, scheme).toLowerCase();
    expect(code).toContain(SCHEME_FACTS[scheme].signature.toLowerCase());
    const { timestamp } = SCHEME_FACTS[scheme];
    if (timestamp) expect(code).toContain(timestamp.toLowerCase());
    expect(code).not.toContain('undefined');
    expect(code).not.toContain('null"');
  }
});

it.each(SCHEMES)('R-SIG-1 the Node snippet of %s accepts what we sign and nothing else', async (scheme) => {
  const verify = await load(scheme);
  const headers = signed(scheme, [SECRET]);
  expect(verify(headers, BODY, SECRET)).toBe(true);
  expect(verify(headers, Buffer.concat([BODY, Buffer.from('\n')]), SECRET)).toBe(false);
  expect(verify(headers, BODY, OTHER)).toBe(false);
  expect(verify({}, BODY, SECRET)).toBe(false);
  const old = signed(scheme, [SECRET], NOW_SEC - 600);
  expect(verify(old, BODY, SECRET)).toBe(scheme === 'body');
});

it.each(['standard-webhooks', 't-v1'] as const)(
  'R-SIG-2 during a rotation the Node snippet of %s finds the signature of its own secret',
  async (scheme) => {
    const verify = await load(scheme);
    expect(verify(signed(scheme, [OTHER, SECRET]), BODY, SECRET)).toBe(true);
  },
);
