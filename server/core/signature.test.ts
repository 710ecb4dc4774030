import { sign as octokitSign, verify as octokitVerify } from '@octokit/webhooks-methods';
import fc from 'fast-check';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { Webhook as SvixWebhook } from 'svix';
import { describe, expect, it } from 'vitest';
import type { SignatureScheme, SignatureSettings } from '@/server/core/policy';
import {
  headerNamesOf,
  newSecret,
  prepareKey,
  type SigningKey,
  sign,
  signatureHeaders,
  verify,
} from '@/server/core/signature';

const SCHEMES: SignatureScheme[] = ['standard-webhooks', 'timestamped', 't-v1', 'body'];
const NEW_SECRET = 'whsec_bmV3LXNlY3JldC1vZi0zMi1ieXRlcy1mb3ItdGVzdHM=';
const OLD_SECRET = 'whsec_b2xkLXNlY3JldC1vZi0zMi1ieXRlcy1mb3ItdGVzdHM=';
const ID = 'evt_01kdvr3m00e8tscncmdv5k9fzr';
const AT = 1_767_225_600;
const BODY = Buffer.from(
  '{"amount":9007199254740993,"rate":1.0,"2":"b","1":"a","note":"төлбөр 😀"}\n',
  'utf8',
);

function key(scheme: SignatureScheme, secret: string): SigningKey {
  const prepared = prepareKey(scheme, secret);
  if (prepared === null) throw new Error('no key');
  return prepared;
}

function signWith(
  settings: SignatureSettings,
  secrets: readonly string[],
  over: { body?: Uint8Array; at?: number } = {},
) {
  const keys = secrets.map((secret) => key(settings.scheme, secret));
  return sign({ settings, eventId: ID, timestampSec: over.at ?? AT, body: over.body ?? BODY, keys });
}

function headersOf(entries: readonly (readonly [string, string])[]): Record<string, string> {
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), value]));
}

/** Every body that differs from the given one in one byte at a handful of places, both ends included. */
function changedByOne(body: Uint8Array): Buffer[] {
  return [0, 1, Math.floor(body.length / 2), body.length - 2, body.length - 1].map((index) => {
    const changed = Buffer.from(body);
    changed[index] = (changed[index] ?? 0) ^ 1;
    return changed;
  });
}

describe('golden vectors', () => {
  // Computed with Python's hmac from the secrets, id, time and body above.
  const ONE_SECRET: [SignatureSettings, [string, string][]][] = [
    [
      { scheme: 'standard-webhooks' },
      [
        ['webhook-id', ID],
        ['webhook-timestamp', '1767225600'],
        ['webhook-signature', 'v1,3FNVeP1zsoNniEArJsmC580yEtMKGWpyvlCN7nAUihs='],
      ],
    ],
    [
      { scheme: 'timestamped' },
      [
        ['X-Webhook-Id', ID],
        ['X-Webhook-Timestamp', '1767225600'],
        ['X-Webhook-Signature', '6dbc07f21b3750912d42dd286ea1c1164618231584e89aaa7e70e7c0f0d6b4f6'],
      ],
    ],
    [
      { scheme: 't-v1' },
      [
        ['Webhook-Id', ID],
        [
          'Webhook-Signature',
          't=1767225600,v1=6dbc07f21b3750912d42dd286ea1c1164618231584e89aaa7e70e7c0f0d6b4f6',
        ],
      ],
    ],
    [
      { scheme: 'body' },
      [
        ['X-Foxreload-Event-Id', ID],
        ['X-Foxreload-Signature', 'd86128d688adadb0b4c51ac3f5f95b96dbf173fe7a096a7a64dd1cedd1891241'],
      ],
    ],
  ];

  it.each(ONE_SECRET)(
    'R-SIG-0 R-SIG-1 %j signs the published bytes, id and time as given',
    (settings, expected) => {
      expect(signWith(settings, [NEW_SECRET])).toEqual(expected);
    },
  );

  it("R-SIG-0 the Standard Webhooks specification's own vector", () => {
    const settings: SignatureSettings = { scheme: 'standard-webhooks' };
    const entries = sign({
      settings,
      eventId: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      timestampSec: 1_614_265_330,
      body: Buffer.from('{"test": 2432232314}'),
      keys: [key('standard-webhooks', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')],
    });
    expect(entries[2]).toEqual(['webhook-signature', 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=']);
  });

  it.each<[SignatureSettings, string]>([
    [
      { scheme: 'standard-webhooks' },
      'v1,3FNVeP1zsoNniEArJsmC580yEtMKGWpyvlCN7nAUihs= v1,0pWIGep9+ZYeo4E2OBr5CW6yCZR6fB97jg7DqkmSFDc=',
    ],
    [
      { scheme: 't-v1' },
      't=1767225600,v1=6dbc07f21b3750912d42dd286ea1c1164618231584e89aaa7e70e7c0f0d6b4f6,v1=84e82d210278d20541bd3ba093d9f95564497dd964f7768cf3186251cb54d417',
    ],
    [{ scheme: 'timestamped' }, '6dbc07f21b3750912d42dd286ea1c1164618231584e89aaa7e70e7c0f0d6b4f6'],
    [{ scheme: 'body' }, 'd86128d688adadb0b4c51ac3f5f95b96dbf173fe7a096a7a64dd1cedd1891241'],
  ])('R-SIG-2 two live secrets: %j', (settings, expected) => {
    expect(signWith(settings, [NEW_SECRET, OLD_SECRET]).at(-1)?.[1]).toBe(expected);
  });

  it('R-SIG-0 header names and prefix are settings', () => {
    const settings: SignatureSettings = {
      scheme: 'body',
      headers: { id: 'X-Shop-Delivery', signature: 'X-Hub-Signature-256' },
      prefix: 'sha256=',
    };
    expect(signWith(settings, [NEW_SECRET])).toEqual([
      ['X-Shop-Delivery', ID],
      ['X-Hub-Signature-256', 'sha256=d86128d688adadb0b4c51ac3f5f95b96dbf173fe7a096a7a64dd1cedd1891241'],
    ]);
    expect(headerNamesOf(settings)).toEqual(['x-shop-delivery', 'x-hub-signature-256']);
    expect(headerNamesOf({ scheme: 'timestamped', headers: { timestamp: 'X-T' } })).toEqual([
      'x-webhook-id',
      'x-t',
      'x-webhook-signature',
    ]);
    expect(signatureHeaders({ scheme: 't-v1', headers: { timestamp: 'X-T' } })).toEqual({
      id: 'Webhook-Id',
      timestamp: null,
      signature: 'Webhook-Signature',
    });
  });

  it('R-ATT-9 without a key nothing is signed, and nothing is returned', () => {
    for (const scheme of SCHEMES) expect(() => signWith({ scheme }, [])).toThrow(RangeError);
  });
});

describe('secrets', () => {
  it('R-SIG-0 24–64 random bytes as whsec_ and base64, usable under every scheme', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 24, maxLength: 64 }), (random) => {
        const secret = newSecret(random);
        expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/);
        expect(key('standard-webhooks', secret).export()).toEqual(Buffer.from(random));
        for (const scheme of ['timestamped', 't-v1', 'body'] as const) {
          expect(key(scheme, secret).export()).toEqual(Buffer.from(secret, 'utf8'));
        }
      }),
    );
    expect(() => newSecret(new Uint8Array(23))).toThrow(RangeError);
    expect(() => newSecret(new Uint8Array(65))).toThrow(RangeError);
  });

  it.each([
    '',
    'whsec_',
    'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    'whsec_a',
    'whsec_ab-_',
    'whsec_====',
    'whsec_abcd\n',
  ])('R-ATT-9 %j is no secret of standard-webhooks', (text) => {
    expect(prepareKey('standard-webhooks', text)).toBeNull();
  });
});

describe('our own verifier', () => {
  const settingsArbitrary = fc.record(
    {
      scheme: fc.constantFrom(...SCHEMES),
      headers: fc.record(
        { id: fc.constant('X-A'), timestamp: fc.constant('X-B'), signature: fc.constant('X-C') },
        { requiredKeys: [] },
      ),
      prefix: fc.constantFrom('', 'sha256=', 'v0='),
    },
    { requiredKeys: ['scheme'] },
  );

  const check = (
    settings: SignatureSettings,
    headers: Record<string, string>,
    over: { body?: Uint8Array; secrets?: string[]; nowSec?: number } = {},
  ) =>
    verify({
      settings,
      header: (name) => headers[name.toLowerCase()] ?? null,
      body: over.body ?? BODY,
      keys: (over.secrets ?? [NEW_SECRET]).map((secret) => key(settings.scheme, secret)),
      nowSec: over.nowSec ?? AT,
    });

  it('R-SIG-0 R-SIG-4 round trip: accepts what was signed, refuses any one changed byte', () => {
    fc.assert(
      fc.property(
        settingsArbitrary,
        fc.uint8Array({ minLength: 1, maxLength: 400 }),
        fc.nat(),
        (settings, body, at) => {
          const headers = headersOf(signWith(settings, [NEW_SECRET], { body }));
          expect(check(settings, headers, { body })).toEqual({ ok: true, key: 0 });
          const changed = Uint8Array.from(body);
          changed[at % body.length] = (changed[at % body.length] ?? 0) ^ (1 << (at % 8));
          expect(check(settings, headers, { body: changed })).toEqual({ ok: false, why: 'no_match' });
        },
      ),
    );
  });

  it('R-SIG-2 says which secret fits; a receiver that knows only the old one accepts where two can be carried', () => {
    for (const scheme of SCHEMES) {
      const headers = headersOf(signWith({ scheme }, [NEW_SECRET, OLD_SECRET]));
      expect(check({ scheme }, headers, { secrets: [NEW_SECRET] }).ok).toBe(true);
      const carriesTwo = scheme === 'standard-webhooks' || scheme === 't-v1';
      expect(check({ scheme }, headers, { secrets: [OLD_SECRET] }).ok).toBe(carriesTwo);
      const beforeRotation = headersOf(signWith({ scheme }, [OLD_SECRET]));
      expect(check({ scheme }, beforeRotation, { secrets: [NEW_SECRET, OLD_SECRET] })).toEqual({
        ok: true,
        key: 1,
      });
    }
  });

  it('R-SIG-1 D24 a changed time or id is refused where it is signed, an old time by the tolerance', () => {
    for (const scheme of ['standard-webhooks', 'timestamped', 't-v1'] as const) {
      const headers = headersOf(signWith({ scheme }, [NEW_SECRET]));
      const late = Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name, value.replace(String(AT), String(AT + 1))]),
      );
      expect(check({ scheme }, late)).toEqual({ ok: false, why: 'no_match' });
      expect(check({ scheme }, headers, { nowSec: AT + 300 }).ok).toBe(true);
      expect(check({ scheme }, headers, { nowSec: AT + 301 })).toEqual({
        ok: false,
        why: 'timestamp_too_far',
      });
      expect(check({ scheme }, headers, { nowSec: AT - 301 })).toEqual({
        ok: false,
        why: 'timestamp_too_far',
      });
    }
    const headers = headersOf(signWith({ scheme: 'standard-webhooks' }, [NEW_SECRET]));
    expect(check({ scheme: 'standard-webhooks' }, { ...headers, 'webhook-id': `${ID}x` }).ok).toBe(false);
    expect(
      check({ scheme: 'body' }, headersOf(signWith({ scheme: 'body' }, [NEW_SECRET])), { nowSec: 0 }).ok,
    ).toBe(true);
  });

  it('R-SIG-4 a missing or malformed header is told from a signature that does not fit', () => {
    expect(check({ scheme: 'timestamped' }, {})).toEqual({ ok: false, why: 'header_missing' });
    const good = headersOf(signWith({ scheme: 't-v1' }, [NEW_SECRET]));
    const withSignature = (value: string) =>
      check({ scheme: 't-v1' }, { ...good, 'webhook-signature': value });
    expect(withSignature('v1=00')).toEqual({ ok: false, why: 'header_missing' });
    expect(withSignature(`t=${AT},v1=zz`)).toEqual({ ok: false, why: 'header_malformed' });
    expect(withSignature(`t=soon,v1=${'0'.repeat(64)}`)).toEqual({ ok: false, why: 'header_malformed' });
    expect(withSignature(`t=${AT},v1=${'0'.repeat(64)}`)).toEqual({ ok: false, why: 'no_match' });
    const upper = headersOf(signWith({ scheme: 'body' }, [NEW_SECRET]));
    upper['x-foxreload-signature'] = (upper['x-foxreload-signature'] ?? '').toUpperCase();
    expect(check({ scheme: 'body' }, upper)).toEqual({ ok: false, why: 'header_malformed' });
  });
});

describe("other people's verifiers", () => {
  const nowSec = Math.floor(Date.now() / 1000);

  it.each([
    ['standardwebhooks', (secret: string) => new StandardWebhook(secret)],
    ['svix', (secret: string) => new SvixWebhook(secret)],
  ] as const)(
    'R-SIG-4 R-SIG-2 %s accepts standard-webhooks, by either secret, and no changed byte',
    (_name, verifier) => {
      const headers = headersOf(
        signWith({ scheme: 'standard-webhooks' }, [NEW_SECRET, OLD_SECRET], { at: nowSec }),
      );
      for (const secret of [NEW_SECRET, OLD_SECRET]) {
        const webhook = verifier(secret);
        expect(() => webhook.verify(BODY.toString('utf8'), headers)).not.toThrow();
        for (const body of changedByOne(BODY))
          expect(() => webhook.verify(body.toString('latin1'), headers)).toThrow();
        expect(() =>
          webhook.verify(BODY.toString(), { ...headers, 'webhook-id': `${ID.slice(0, -1)}0` }),
        ).toThrow();
        expect(() =>
          webhook.verify(BODY.toString(), { ...headers, 'webhook-timestamp': String(nowSec - 1) }),
        ).toThrow();
      }
      expect(() => verifier(newSecret(new Uint8Array(32))).verify(BODY.toString('utf8'), headers)).toThrow();
    },
  );

  it('R-SIG-4 R-SIG-2 stripe accepts t-v1 under its own header name, by either secret, and no changed byte', () => {
    const stripe = new Stripe('sk_test_unused');
    const settings: SignatureSettings = { scheme: 't-v1', headers: { signature: 'Stripe-Signature' } };
    const body = Buffer.from('{"id":"evt_1","object":"event","amount":9007199254740993,"note":"төлбөр"}');
    const header =
      headersOf(signWith(settings, [NEW_SECRET, OLD_SECRET], { at: nowSec, body }))['stripe-signature'] ?? '';
    for (const secret of [NEW_SECRET, OLD_SECRET]) {
      expect(stripe.webhooks.constructEvent(body, header, secret).id).toBe('evt_1');
      for (const changed of changedByOne(body)) {
        expect(() => stripe.webhooks.constructEvent(changed, header, secret)).toThrow(/signature/i);
      }
      const moved = header.replace(String(nowSec), String(nowSec - 1));
      expect(() => stripe.webhooks.constructEvent(body, moved, secret)).toThrow(/signature/i);
    }
    expect(() => stripe.webhooks.constructEvent(body, header, 'whsec_another')).toThrow(/signature/i);
  });

  it('R-SIG-4 @octokit/webhooks-methods accepts body with the prefix sha256=, and no changed byte', async () => {
    const settings: SignatureSettings = {
      scheme: 'body',
      headers: { id: 'X-GitHub-Delivery', signature: 'X-Hub-Signature-256' },
      prefix: 'sha256=',
    };
    const text = BODY.toString('utf8');
    const signature = headersOf(signWith(settings, [NEW_SECRET, OLD_SECRET]))['x-hub-signature-256'] ?? '';
    expect(signature).toBe(await octokitSign(NEW_SECRET, text));
    expect(await octokitVerify(NEW_SECRET, text, signature)).toBe(true);
    expect(await octokitVerify(OLD_SECRET, text, signature)).toBe(false);
    for (const changed of changedByOne(Buffer.from('{"plain":"ascii"}'))) {
      const plain = headersOf(signWith(settings, [NEW_SECRET], { body: Buffer.from('{"plain":"ascii"}') }));
      const value = plain['x-hub-signature-256'] ?? '';
      expect(await octokitVerify(NEW_SECRET, changed.toString('latin1'), value)).toBe(false);
      expect(await octokitVerify(NEW_SECRET, '{"plain":"ascii"}', value)).toBe(true);
    }
  });
});
