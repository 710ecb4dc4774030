import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_CATALOGUE } from '@/server/core/default-catalogue';
import { isEventType, isReservedType } from '@/server/core/event-filter';
import { evaluateMoney, type MoneyRule, parsePointer } from '@/server/core/money';

const utf8 = (text: string) => Buffer.from(text, 'utf8');
const NOTHING = { money: false, amount: null, currency: null, exponent: null, resource: null };
const RULE: MoneyRule = {
  money: 'always',
  amount: '/amount',
  currency: '/currency',
  exponent: '/exponent',
  resource: '/id',
};

function ruleOf(type: string): MoneyRule | null {
  return DEFAULT_CATALOGUE.find((entry) => entry.type === type)?.money ?? null;
}

describe('what is money', () => {
  // R-MON-1 and R-MON-2, word for word: [type, status, money].
  const GOLDEN: [string, string, boolean][] = [
    ['payment.status_changed', 'paid', true],
    ['payment.status_changed', 'settled', true],
    ['payment.status_changed', 'refunded', true],
    ['payment.status_changed', 'amount_mismatch', false],
    ['payment.status_changed', 'expired', false],
    ['payment.status_changed', 'cancelled', false],
    ['payment.status_changed', 'failed', false],
    ['payment.status_changed', 'completed', false],
    ['payment.status_changed', 'PAID', false],
    ['withdrawal.status_changed', 'completed', true],
    ['withdrawal.status_changed', 'failed', false],
    ['withdrawal.status_changed', 'paid', false],
    ['exchange.status_changed', 'completed', true],
    ['exchange.status_changed', 'cancelled', false],
    ['refund.completed', 'anything', true],
    ['refund.reversed', 'anything', true],
    ['refund.rejected', 'completed', false],
    ['refund.failed', 'completed', false],
    ['subscription.status_changed', 'paid', false],
    ['kyc.status_changed', 'completed', false],
    ['gateway.status_changed', 'completed', false],
    ['payment.delivery_proof_reminder', 'paid', false],
    ['payment_intent.succeeded', 'succeeded', true],
    ['payment_intent.refunded', 'refunded', true],
    ['settlement.paid', 'paid', true],
    ['payment_intent.requires_payment', 'requires_payment', false],
    ['payment_intent.claimed', 'claimed', false],
    ['payment_intent.requires_capture', 'requires_capture', false],
    ['payment_intent.amount_mismatch', 'amount_mismatch', false],
    ['payment_intent.cancelled', 'cancelled', false],
    ['payment_intent.expired', 'expired', false],
    ['order.delivered', 'paid', false],
  ];

  it.each(GOLDEN)('R-MON-1 R-MON-2 %s with status %s: %s', (type, status, money) => {
    expect(evaluateMoney(ruleOf(type), utf8(`{"status":"${status}"}`)).money).toBe(money);
  });

  it.each(['', 'paid', '{"status":"paid"', '{"status":"paid"}}', '\u0000', '<xml/>'])(
    'R-MON-3 a body that is no JSON (%j) is not money and has no resource',
    (body) => {
      expect(evaluateMoney(RULE, utf8(body))).toEqual(NOTHING);
      expect(evaluateMoney(ruleOf('payment.status_changed'), utf8(body))).toEqual(NOTHING);
    },
  );

  it('R-MON-2 R-MON-3 without a rule nothing is money', () => {
    expect(evaluateMoney(null, utf8('{"id":"x","amount":1}'))).toEqual(NOTHING);
  });

  it('R-MON-3 amount, currency, exponent and resource are read from the published bytes', () => {
    const body = '{"id":"pay_1","amount":9007199254740993,"currency":"mnt","exponent":2}';
    expect(evaluateMoney(RULE, utf8(body))).toEqual({
      money: true,
      amount: '9007199254740993',
      currency: 'MNT',
      exponent: 2,
      resource: 'pay_1',
    });
  });

  it('R-MON-3 an event that is not money has its resource and no amount', () => {
    const body = utf8('{"payment_id":"pay_1","status":"expired","amount":5,"currency":"USD"}');
    expect(evaluateMoney(ruleOf('payment.status_changed'), body)).toEqual({ ...NOTHING, resource: 'pay_1' });
  });

  const AMOUNTS: [string, string | null][] = [
    ['0', '0'],
    ['-0', '0'],
    ['1250000', '1250000'],
    ['-15', '-15'],
    ['1.0', '1'],
    ['1.50', null],
    ['12.5e1', '125'],
    ['1e3', '1000'],
    ['1E+3', '1000'],
    ['1500e-2', '15'],
    ['1501e-2', null],
    ['5e-3', null],
    ['0e999', '0'],
    ['1e999', null],
    ['1e9999999', null],
    ['9007199254740993', '9007199254740993'],
    ['9007199254740991.4', null],
    ['99999999999999999999999999999999999999', '99999999999999999999999999999999999999'],
    ['100000000000000000000000000000000000000', null],
    ['"1250000"', '1250000'],
    ['"007"', '7'],
    ['"12,50"', null],
    ['"0x10"', null],
    ['" 5"', null],
    ['""', null],
    ['null', null],
    ['true', null],
    ['[1]', null],
    ['{"value":1}', null],
  ];

  it.each(AMOUNTS)('R-MON-3 the amount %s is %j, never rounded', (source, amount) => {
    expect(evaluateMoney(RULE, utf8(`{"amount":${source}}`)).amount).toBe(amount);
  });

  it('R-MON-3 an amount of any size up to 38 digits is exact', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 38n) + 1n, max: 10n ** 38n - 1n }), (value) => {
        expect(evaluateMoney(RULE, utf8(`{"amount":${value}}`)).amount).toBe(value.toString());
      }),
    );
  });

  it.each<[string, string | null, number | null, string | null]>([
    ['{"currency":"USDT","exponent":"6","id":42}', 'USDT', 6, '42'],
    ['{"currency":"US dollar","exponent":19,"id":""}', null, null, null],
    ['{"currency":978,"exponent":-2,"id":null}', null, null, null],
    ['{"currency":["USD"],"exponent":1.5,"id":{"a":1}}', null, null, null],
    [`{"id":"${'x'.repeat(256)}","currency":"usd\\u0000"}`, null, null, null],
  ])('R-MON-3 what does not fit is null: %s', (body, currency, exponent, resource) => {
    expect(evaluateMoney(RULE, utf8(body))).toMatchObject({ money: true, currency, exponent, resource });
  });
});

describe('JSON pointers', () => {
  const DOCUMENT = utf8(
    '{"foo":["bar",["deep"]],"":0,"a/b":1,"c%d":2,"m~n":8," ":7,"k\\"l":6,"\\u0062":5,"dup":1,"dup":2,"__proto__":{"x":"own"}}',
  );
  // RFC 6901 §5 and beyond.
  const POINTERS: [string, string | null][] = [
    ['/foo/0', 'bar'],
    ['/foo/1/0', 'deep'],
    ['/', '0'],
    ['/a~1b', '1'],
    ['/c%d', '2'],
    ['/m~0n', '8'],
    ['/ ', '7'],
    ['/k"l', '6'],
    ['/b', '5'],
    ['/dup', '2'],
    ['/__proto__/x', 'own'],
    ['', null],
    ['/foo', null],
    ['/foo/2', null],
    ['/foo/-', null],
    ['/foo/00', null],
    ['/foo/length', null],
    ['/toString', null],
    ['/foo/0/0', null],
    ['foo', null],
    ['/m~2n', null],
    ['/m~', null],
  ];

  it.each(POINTERS)('R-MON-3 %j finds %j', (pointer, found) => {
    expect(evaluateMoney({ money: null, resource: pointer }, DOCUMENT).resource).toBe(found);
  });

  it('R-MON-3 a pointer finds in any object what JSON.parse finds there', () => {
    const leaf = fc.string({ unit: 'binary', minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.dictionary(fc.string(), leaf)), (value) => {
        const bytes = utf8(JSON.stringify(value, null, 1));
        for (const [outer, inner] of Object.entries(value)) {
          for (const [key, text] of Object.entries(inner)) {
            const escaped = (token: string) => token.replaceAll('~', '~0').replaceAll('/', '~1');
            const pointer = `/${escaped(outer)}/${escaped(key)}`;
            expect(parsePointer(pointer)).toEqual([outer, key]);
            expect(evaluateMoney({ money: null, resource: pointer }, bytes).resource).toBe(text);
          }
        }
      }),
    );
  });

  it('R-MON-3 a body nested 100,000 deep is read without harm', () => {
    const body = utf8(`{"id":"pay_1","x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`);
    expect(evaluateMoney(RULE, body)).toMatchObject({ money: true, resource: 'pay_1' });
    expect(evaluateMoney({ money: null, resource: `/x${'/0'.repeat(30)}` }, body).resource).toBeNull();
  });
});

describe('the default catalogue', () => {
  it('R-MON-1 R-MON-3 every entry is a publishable type, once, with an example its own pointers fit', () => {
    const types = DEFAULT_CATALOGUE.map(({ type }) => type);
    expect(new Set(types).size).toBe(types.length);
    for (const { type, example, money, description } of DEFAULT_CATALOGUE) {
      expect([type, isEventType(type), isReservedType(type)]).toEqual([type, true, false]);
      expect(description).toMatch(/^[A-Z].*\.$/);
      const facts = evaluateMoney(money, utf8(example));
      expect([type, typeof facts.resource]).toEqual([type, 'string']);
      const isMoney = money !== null && money.money !== null;
      expect(facts).toMatchObject(isMoney ? { money: true, currency: 'MNT', exponent: 2 } : { money: false });
      if (isMoney) expect(facts.amount).toMatch(/^[1-9]\d*$/);
    }
  });
});
