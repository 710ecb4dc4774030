import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  escapeControls,
  isSecretName,
  MASK,
  redactFields,
  redactHeaders,
  redactText,
  redactUrl,
} from '@/server/core/redact';

const KEY = 'hk_live_000xQ2pPXCTnJXaR7sSyQYpZ4GhJ8yfiyWQiVNsQw1z4f2sGa';
const SECRET = 'whsec_bmV3LXNlY3JldC1vZi0zMi1ieXRlcy1mb3ItdGVzdHM=';

describe('text', () => {
  it.each<[string, string]>([
    ['a\r\nb\tc', 'a\\r\\nb\\tc'],
    ['\u0000\u001b[31m\u007f\u0085', '\\u0000\\u001b[31m\\u007f\\u0085'],
    ['a\u2028b\u2029', 'a\\u2028b\\u2029'],
    ['\u202etxt.exe\u2066\u200b\ufeff', '\\u202etxt.exe\\u2066\\u200b\\ufeff'],
    ['\u{e0041}x', '\\u{e0041}x'],
    ['\ud800x', '\\ud800x'],
    ['Төлбөр 😀 <b>', 'Төлбөр 😀 <b>'],
  ])('D36 O36 controls, line and direction characters of %j are escaped', (text, escaped) => {
    expect(escapeControls(text)).toBe(escaped);
  });

  it('D36 no text leaves with a control or direction character in it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(redactText(text)).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u);
      }),
    );
  });

  it('D36 keys, secrets, bearers and URL queries inside a text are masked', () => {
    const text = `GET https://user:pw@shop.example/hook?token=abc#x with Authorization: Bearer abc.def-ghi, ${KEY} and ${SECRET}.`;
    expect(redactText(text)).toBe(
      `GET https://shop.example/hook?*** with Authorization: Bearer ***, ${MASK} and ${MASK}.`,
    );
  });

  it('D36 a long text is cut and says so', () => {
    const out = redactText('x'.repeat(100_000));
    expect(out.length).toBeLessThan(2100);
    expect(out).toMatch(/… \(100000 characters\)$/);
  });

  it('D36 a secret that lies across the cut is not shown in part', () => {
    expect(redactText(`${'x'.repeat(2030)} ${SECRET}`)).not.toContain('bmV3');
  });

  it.each<[string, string]>([
    ['https://shop.example/hook', 'https://shop.example/hook'],
    ['https://a:b@shop.example:8443/hook?x=1&y=2#frag', 'https://shop.example:8443/hook?***'],
    ['not a url', MASK],
    ['', MASK],
  ])('D36 the URL %s is shown as %s', (url, shown) => {
    expect(redactUrl(url)).toBe(shown);
  });
});

describe('headers and fields', () => {
  it.each([
    'Authorization',
    'proxy-authorization',
    'Cookie',
    'set-cookie',
    'X-Api-Key',
    'apiKey',
    'webhook-signature',
    'X-Auth-Token',
    'client_secret',
    'password',
    'masterKey',
    'sessionToken',
    'credentials',
  ])('D36 %s is a secret name', (name) => {
    expect(isSecretName(name)).toBe(true);
  });

  it.each(['content-type', 'user-agent', 'webhook-id', 'idempotency-key', 'endpointId', 'status'])(
    'D36 %s is none',
    (name) => {
      expect(isSecretName(name)).toBe(false);
    },
  );

  it('D36 headers keep their names; secret values are masked, others escaped', () => {
    expect(
      redactHeaders([
        ['Authorization', 'Basic x'],
        ['X-Note\r\n', 'a\r\nInjected: yes'],
        ['__proto__', 'x'],
      ]),
    ).toEqual(
      Object.fromEntries([
        ['Authorization', MASK],
        ['X-Note\\r\\n', 'a\\r\\nInjected: yes'],
        ['__proto__', 'x'],
      ]),
    );
  });

  it('D36 D25 fields: secrets by name and by form, payloads and bytes as their size, errors as text', () => {
    const cause = Object.assign(new Error(`connect failed for ${KEY}`), {
      code: 'ECONNRESET',
      stack: 'stack\nhere',
    });
    const out = redactFields({
      endpointId: 'ep_1',
      status: 503,
      durationMs: 12.5,
      ok: false,
      nothing: null,
      big: 9007199254740993n,
      at: new Date(0),
      url: new URL('https://u:p@h.example/p?q=1'),
      secret: SECRET,
      nested: { password: 'hunter2', list: [KEY, { token: 't' }] },
      body: '{"card":"4242"}',
      data: { card: '4242' },
      bytes: new Uint8Array(5),
      err: cause,
      'line\nbreak': 'x',
    });
    expect(out).toEqual({
      endpointId: 'ep_1',
      status: 503,
      durationMs: 12.5,
      ok: false,
      nothing: null,
      big: '9007199254740993',
      at: '1970-01-01T00:00:00.000Z',
      url: 'https://h.example/p?***',
      secret: MASK,
      nested: { password: MASK, list: [MASK, { token: MASK }] },
      body: '[15 characters]',
      data: '[payload]',
      bytes: '[5 bytes]',
      err: {
        name: 'Error',
        message: `connect failed for ${MASK}`,
        code: 'ECONNRESET',
        stack: 'stack\\nhere',
        cause: undefined,
      },
      'line\\nbreak': 'x',
    });
  });

  it('D36 a secret that is a list, an object or a number is masked whole', () => {
    expect(redactFields({ secrets: ['a', 'b'], cookies: { sid: 'x' }, tokens: 5 })).toEqual({
      secrets: MASK,
      cookies: MASK,
      tokens: MASK,
    });
  });

  it('D36 cycles, depth, getters that throw and proxies are harmless', () => {
    const loop: Record<string, unknown> = { name: 'loop' };
    loop.self = loop;
    expect(redactFields(loop)).toEqual({ name: 'loop', self: '[…]' });
    let deep: object = {};
    for (let i = 0; i < 10_000; i += 1) deep = { deep };
    expect(JSON.stringify(redactFields(deep))).toContain('[…]');
    const bad = Object.defineProperty({}, 'x', {
      enumerable: true,
      get() {
        throw new Error('no');
      },
    });
    expect(redactFields({ bad, good: 1 })).toEqual({ bad: '[unreadable]', good: 1 });
    expect(redactFields(bad)).toEqual({ value: '[unreadable]' });
  });

  it('D36 whatever is logged, it is written as JSON and no planted secret is in it', () => {
    fc.assert(
      fc.property(
        fc.object({ maxDepth: 4, withBigInt: true, withDate: true, withNullPrototype: true }),
        (value) => {
          const line = JSON.stringify(
            redactFields({ value, planted: [`x ${SECRET}`, { authorization: 'canary' }] }),
          );
          expect(line).not.toMatch(/canary|bmV3/);
        },
      ),
    );
  });
});
