import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import cases from '@/server/testing/ssrf_cases.json';
import { areAllAllowed, type Cidr, isPublicAddress, judgeAddresses, parseCidr } from './address-guard';

const networks = (...texts: string[]): Cidr[] => texts.map((text) => parseCidr(text)!);

describe('the corpus', () => {
  for (const one of cases.filter((each) => each.stage === 'address')) {
    it(`R-ATT-7 ${one.id} address ${one.input}: ${one.verdict}, ${one.why}`, () => {
      expect(isPublicAddress(one.input)).toBe(one.verdict === 'allow');
      expect(judgeAddresses([one.input], [])).toBe(one.verdict === 'allow' ? 'ok' : 'refused');
    });
  }
  for (const one of cases.filter((each) => each.stage === 'dns' && Array.isArray(each.dns))) {
    it(`R-ATT-7 ${one.id} answer ${JSON.stringify(one.dns)}: ${one.verdict}, ${one.why}`, () => {
      const answer = one.dns as string[];
      const expected = one.verdict === 'allow' ? 'ok' : answer.length === 0 ? 'empty' : 'refused';
      expect(judgeAddresses(answer, [])).toBe(expected);
    });
  }
});

/** Written out a second time, as first and last address, so that a slip in the guard's own table shows. */
const REFUSED_V4: [string, string][] = [
  ['0.0.0.0', '0.255.255.255'],
  ['10.0.0.0', '10.255.255.255'],
  ['100.64.0.0', '100.127.255.255'],
  ['127.0.0.0', '127.255.255.255'],
  ['168.63.129.16', '168.63.129.16'],
  ['169.254.0.0', '169.254.255.255'],
  ['172.16.0.0', '172.31.255.255'],
  ['192.0.0.0', '192.0.0.255'],
  ['192.0.2.0', '192.0.2.255'],
  ['192.31.196.0', '192.31.196.255'],
  ['192.52.193.0', '192.52.193.255'],
  ['192.88.99.0', '192.88.99.255'],
  ['192.168.0.0', '192.168.255.255'],
  ['192.175.48.0', '192.175.48.255'],
  ['198.18.0.0', '198.19.255.255'],
  ['198.51.100.0', '198.51.100.255'],
  ['203.0.113.0', '203.0.113.255'],
  ['224.0.0.0', '255.255.255.255'],
];

/** In 128-bit numbers: everything outside 2000::/3 and the blocks refused inside it. */
const REFUSED_V6: [string, string][] = [
  ['0:0:0:0:0:0:0:0', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2001:0:0:0:0:0:0:0', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2001:db8:0:0:0:0:0:0', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2002:0:0:0:0:0:0:0', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2620:4f:8000:0:0:0:0:0', '2620:4f:8000:ffff:ffff:ffff:ffff:ffff'],
  ['3fff:0:0:0:0:0:0:0', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['4000:0:0:0:0:0:0:0', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
];

const v4Number = (text: string) => text.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n);
const v6Number = (text: string) =>
  text.split(':').reduce((sum, part) => sum * 65_536n + BigInt(`0x${part}`), 0n);
const v4Text = (value: bigint) => [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join('.');
const v6Text = (value: bigint) =>
  [112n, 96n, 80n, 64n, 48n, 32n, 16n, 0n].map((at) => ((value >> at) & 65_535n).toString(16)).join(':');

describe('ranges', () => {
  const ranges = [
    ...REFUSED_V4.map(([first, last]) => ({
      first: v4Number(first),
      last: v4Number(last),
      text: v4Text,
      bits: 32n,
    })),
    ...REFUSED_V6.map(([first, last]) => ({
      first: v6Number(first),
      last: v6Number(last),
      text: v6Text,
      bits: 128n,
    })),
  ];
  const isRefused = (value: bigint, bits: bigint) =>
    ranges.some((range) => range.bits === bits && value >= range.first && value <= range.last);

  for (const { first, last, text, bits } of ranges) {
    it(`R-ATT-7 O27 refuses 200 random addresses and both edges of ${text(first)} – ${text(last)}`, () => {
      expect(isPublicAddress(text(first))).toBe(false);
      expect(isPublicAddress(text(last))).toBe(false);
      fc.assert(
        fc.property(fc.bigInt({ min: first, max: last }), (value) => {
          expect(isPublicAddress(text(value))).toBe(false);
        }),
        { numRuns: 200 },
      );
      for (const neighbour of [first - 1n, last + 1n]) {
        if (neighbour < 0n || neighbour >= 1n << bits) continue;
        expect(isPublicAddress(text(neighbour))).toBe(!isRefused(neighbour, bits));
      }
    });
  }

  it('R-ATT-7 agrees with the ranges on any address of either family', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: (1n << 32n) - 1n }), (value) => {
        expect(isPublicAddress(v4Text(value))).toBe(!isRefused(value, 32n));
      }),
      { numRuns: 1_000 },
    );
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: (1n << 128n) - 1n }), (value) => {
        expect(isPublicAddress(v6Text(value))).toBe(!isRefused(value, 128n));
      }),
      { numRuns: 1_000 },
    );
  });

  it('R-ATT-7 refuses an IPv4 address in every IPv6 form, a public one too', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: (1n << 32n) - 1n }), (value) => {
        const dotted = v4Text(value);
        const hex = `${(value >> 16n).toString(16)}:${(value & 65_535n).toString(16)}`;
        const forms = [
          `::ffff:${dotted}`,
          `::ffff:${hex}`,
          `::${dotted}`,
          `::ffff:0:${hex}`,
          `64:ff9b::${hex}`,
        ];
        for (const form of [...forms, `64:ff9b:1::${hex}`, `2002:${hex}::1`, `2001:0:${hex}::1`]) {
          expect(isPublicAddress(form)).toBe(false);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('R-ATT-7 refuses what it cannot read', () => {
    const unreadable = [
      '',
      'localhost',
      '1.2.3',
      '01.2.3.4',
      '1.2.3.4.5',
      '[2606:4700::1]',
      '8.8.8.8 ',
      '0x08080808',
    ];
    for (const text of [...unreadable, '2606:4700::1%eth0', ':::', '2606:4700::g']) {
      expect(isPublicAddress(text)).toBe(false);
    }
  });
});

describe('allowed networks', () => {
  it('R-ATT-7 reads networks and refuses nonsense and bits behind the prefix', () => {
    expect(parseCidr(' 10.1.0.0/16 ')).toMatchObject({ text: '10.1.0.0/16', family: 4, prefix: 16 });
    expect(parseCidr('127.0.0.1')).toMatchObject({ prefix: 32 });
    expect(parseCidr('fd00::/8')).toMatchObject({ family: 6, prefix: 8 });
    expect(parseCidr('0.0.0.0/0')).toMatchObject({ prefix: 0 });
    for (const text of [
      '',
      '10.0.0.0/33',
      'fd00::/129',
      '10.0.0.1/8',
      '10.0.0.0/',
      '10.0.0.0/8/8',
      '10/8',
      'a/8',
    ]) {
      expect(parseCidr(text)).toBeNull();
    }
    expect(parseCidr('10.0.0.0/-1')).toBeNull();
  });

  it('R-ATT-7 exempts an answer only when every address lies in an allowed network', () => {
    const allowed = networks('10.0.0.0/8', 'fd00::/8');
    expect(judgeAddresses(['10.1.2.3', 'fd00::1'], allowed)).toBe('ok');
    expect(judgeAddresses(['10.1.2.3', '93.184.215.14'], allowed)).toBe('refused');
    expect(judgeAddresses(['10.1.2.3', '192.168.0.1'], allowed)).toBe('refused');
    expect(judgeAddresses(['93.184.215.14'], allowed)).toBe('ok');
    expect(judgeAddresses(['::ffff:10.1.2.3'], allowed)).toBe('refused');
    expect(judgeAddresses(['fd00::1%eth0'], allowed)).toBe('refused');
    expect(judgeAddresses([], allowed)).toBe('empty');
    expect(areAllAllowed([], allowed)).toBe(false);
  });

  it('R-ATT-7 judges duplicates and a hundred answers alike', () => {
    const hundred = Array.from({ length: 100 }, (_, index) => `93.184.215.${index + 1}`);
    expect(judgeAddresses([...hundred, ...hundred], [])).toBe('ok');
    expect(judgeAddresses([...hundred, '127.0.0.1'], [])).toBe('refused');
  });
});
