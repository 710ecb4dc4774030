import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import cases from '@/server/testing/ssrf_cases.json';
import { parseCidr } from './address-guard';
import { checkUrl, type UrlContext, type UrlRule } from './url-guard';

const LIVE: UrlContext = { environment: 'live', allowNetworks: [], ownHosts: [] };
const TEST: UrlContext = { ...LIVE, environment: 'test' };

const ruleOf = (url: string, context = LIVE): UrlRule | 'ok' => {
  const verdict = checkUrl(url, context);
  return verdict.ok ? 'ok' : verdict.rule;
};
const stored = (url: string, context = LIVE): string => {
  const verdict = checkUrl(url, context);
  return verdict.ok ? verdict.url : verdict.rule;
};

describe('the corpus at save', () => {
  for (const one of cases.filter((each) => each.stage === 'url')) {
    const shown = one.input.length > 80 ? `${one.input.slice(0, 80)}…` : one.input;
    it(`R-ATT-7 ${one.id} ${JSON.stringify(shown)}: ${one.verdict}, ${one.why}`, () => {
      for (const context of [LIVE, TEST]) {
        const verdict = checkUrl(one.input, context);
        expect(verdict.ok).toBe(one.verdict === 'allow');
        if (!verdict.ok) expect(verdict.message.length).toBeGreaterThan(10);
      }
    });
  }
});

describe('normalization', () => {
  const table: [string, string, string][] = [
    ['S002', 'https://hooks.example.com:443/in', 'https://hooks.example.com/in'],
    ['S004', 'HTTPS://Hooks.Example.COM/In?Token=a%2Fb&x=1', 'https://hooks.example.com/In?Token=a%2Fb&x=1'],
    ['S005', 'https://hooks.example.com./in', 'https://hooks.example.com/in'],
    ['S006', 'https://xn--mnchen-3ya.de/hook', 'https://xn--mnchen-3ya.de/hook'],
    ['S008', 'https://аpple.com/hook', 'https://xn--pple-43d.com/hook'],
    ['S012', 'https://hooks.example.com/in#frag', 'https://hooks.example.com/in'],
    ['S013', 'https://hooks.example.com/a/../b/./c', 'https://hooks.example.com/b/c'],
    ['S014', 'https://hooks.example.com/%0d%0aX-Evil:1', 'https://hooks.example.com/%0d%0aX-Evil:1'],
    ['S060', 'https://hooks.example.com:/in', 'https://hooks.example.com/in'],
    ['S061', 'https://hooks.example.com:0000443/', 'https://hooks.example.com/'],
    ['–', 'https://münchen.de/ü?q=ü', 'https://xn--mnchen-3ya.de/%C3%BC?q=%C3%BC'],
    ['–', 'https://hooks.example.com', 'https://hooks.example.com/'],
    ['–', 'https://hooks.example.com/?', 'https://hooks.example.com/?'],
    [
      '–',
      'https://hooks.example.com/a//b/;x=1?&&a=1&a=%41#',
      'https://hooks.example.com/a//b/;x=1?&&a=1&a=%41',
    ],
    ['–', 'https://[2606:4700:4700::1111]:8443/x', 'https://[2606:4700:4700::1111]:8443/x'],
    ['–', 'https://[2606:4700:4700::ABCD]/x', 'https://[2606:4700:4700::abcd]/x'],
    ['–', 'https://hooks.example.com.:8443/x', 'https://hooks.example.com:8443/x'],
  ];
  for (const [id, input, expected] of table) {
    it(`R-ATT-8 ${id} stores ${input} as ${expected}`, () => {
      expect(stored(input)).toBe(expected);
    });
  }

  it('R-ATT-8 is idempotent: what was stored is accepted as it is', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), (url) => {
        const first = checkUrl(url, TEST);
        if (first.ok) expect(stored(first.url, TEST)).toBe(first.url);
      }),
    );
  });

  it('R-ATT-7 never throws, whatever the text', () => {
    const hostish = fc.tuple(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }));
    fc.assert(
      fc.property(hostish, ([host, path]) => {
        expect(typeof checkUrl(`https://${host}/${path}`, TEST).ok).toBe('boolean');
        expect(typeof checkUrl(host, TEST).ok).toBe('boolean');
      }),
      { numRuns: 500 },
    );
  });
});

describe('rules', () => {
  const table: [string, UrlRule | 'ok'][] = [
    ['', 'empty'],
    [`https://hooks.example.com/${'a'.repeat(2048 - 26)}`, 'ok'],
    [`https://hooks.example.com/${'a'.repeat(2048 - 25)}`, 'too_long'],
    [`https://hooks.example.com/${'ü'.repeat(500)}`, 'too_long'],
    ['https://hooks.example.com/a b', 'characters'],
    ['https://hooks.example.com\\x', 'characters'],
    ['https://hooks.example.com/\u202ex', 'characters'],
    ['https://hooks.exam\u200bple.com/', 'characters'],
    ['https:/hooks.example.com/', 'form'],
    ['https:hooks.example.com/', 'form'],
    ['https:///hooks.example.com/', 'form'],
    ['ftp://hooks.example.com/', 'scheme'],
    ['http://hooks.example.com/', 'https_only'],
    ['https://@hooks.example.com/', 'userinfo'],
    ['https://hooks%2eexample.com/', 'host'],
    ["https://hooks.exa'mple.com/", 'host'],
    ['https://0x08080808/', 'literal'],
    ['https://8.8.8.8./', 'literal'],
    ['https://8.8.2056/', 'literal'],
    ['https://[2606:4700:4700:0:0:0:0:1111]/', 'literal'],
    ['https://8.8.8.8:22/', 'port'],
    ['https://hooks.example.com:1023/', 'port'],
    ['https://hooks.example.com:1024/', 'ok'],
    ['https://hooks.example.com:80/', 'ok'],
    ['https://hooks.example.com:5060/', 'port'],
    ['https://hooks.example.com:65535/', 'ok'],
    ['https://hooks.example.com:0/', 'port'],
    ['https://com/', 'name'],
    ['https://hooks.corp/', 'name'],
    ['https://localhost.example.com/', 'ok'],
    ['https://notlocal.example/', 'ok'],
    ['https://[::ffff:8.8.8.8]/', 'literal'],
    ['https://[::ffff:808:808]/', 'address'],
  ];
  for (const [url, rule] of table) {
    it(`R-ATT-7 ${JSON.stringify(url.slice(0, 60))} (${url.length}) is ${rule}`, () => {
      expect(ruleOf(url)).toBe(rule);
    });
  }

  it('R-ATT-8 http is for the test environment alone', () => {
    expect(ruleOf('http://hooks.example.com/in', TEST)).toBe('ok');
    expect(ruleOf('http://hooks.example.com/in', LIVE)).toBe('https_only');
    expect(ruleOf('http://8.8.8.8/in', TEST)).toBe('ok');
  });
});

describe('allowed networks', () => {
  const context: UrlContext = { ...TEST, allowNetworks: [parseCidr('127.0.0.0/8')!, parseCidr('fd00::/8')!] };

  it('R-ATT-7 exempts a literal in an allowed network from address and port rules', () => {
    expect(ruleOf('http://127.0.0.1:9/x', context)).toBe('ok');
    expect(ruleOf('http://[fd00::5]:25/x', context)).toBe('ok');
    expect(ruleOf('http://10.0.0.1/x', context)).toBe('address');
    expect(ruleOf('http://127.0.0.1/x', TEST)).toBe('address');
    expect(ruleOf('https://127.1/x', context)).toBe('literal');
  });

  it('R-ATT-7 leaves name and port to the addresses when networks are allowed, and says so', () => {
    for (const url of ['http://receiver:8080/x', 'http://localhost/x', 'http://hooks.example.com:25/x']) {
      const verdict = checkUrl(url, context);
      expect(verdict.ok && verdict.target.onlyIfAllowed).toBe(true);
      expect(checkUrl(url, TEST).ok).toBe(false);
    }
    const plain = checkUrl('http://hooks.example.com/x', context);
    expect(plain.ok && plain.target.onlyIfAllowed).toBe(false);
  });

  it('R-ATT-8 an allowed network does not make http good in live', () => {
    expect(ruleOf('http://127.0.0.1/x', { ...context, environment: 'live' })).toBe('https_only');
  });
});

describe('this installation', () => {
  const context: UrlContext = {
    ...TEST,
    ownHosts: [{ host: 'Localhost', port: 3000 }],
    receiverTokenAlive: (token) => token === 'tok_1',
  };

  it('R-ATT-16 refuses PUBLIC_URL, whatever the path, case or trailing dot', () => {
    for (const path of [
      '',
      '/',
      '/v1/events',
      '/r/',
      '/r/tok_1/more',
      '/r/tok_1%2f',
      '/R/tok_1',
      '/r/tok_1/../../v1',
    ]) {
      expect(ruleOf(`http://localhost:3000${path}`, context)).toBe('self');
      expect(ruleOf(`http://LOCALHOST.:3000${path}`, context)).toBe('self');
    }
  });

  it('R-ATT-16 lets the built-in receiver through by its live token alone', () => {
    const verdict = checkUrl('http://localhost:3000/r/tok_1?x=1', context);
    expect(verdict.ok && verdict.target.receiverToken).toBe('tok_1');
    expect(ruleOf('http://localhost:3000/r/tok_2', context)).toBe('self');
    expect(ruleOf('http://localhost:3001/r/tok_1', context)).toBe('name');
    expect(ruleOf('http://127.0.0.1:3000/r/tok_1', context)).toBe('address');
    expect(ruleOf('http://localhost:3000/r/tok_1', { ...context, receiverTokenAlive: undefined })).toBe(
      'self',
    );
  });

  it('R-ATT-16 refuses it although an allowed network holds it', () => {
    const allowed = { ...context, allowNetworks: [parseCidr('127.0.0.0/8')!] };
    expect(ruleOf('http://localhost:3000/v1/events', allowed)).toBe('self');
    expect(ruleOf('http://localhost:3001/v1/events', allowed)).toBe('ok');
  });

  it('R-ATT-8 R-ATT-16 the built-in receiver at an http address is no live endpoint', () => {
    expect(ruleOf('http://localhost:3000/r/tok_1', { ...context, environment: 'live' })).toBe('https_only');
  });
});
