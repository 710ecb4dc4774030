/**
 * Invariant: whether an event moved money is read once, at publish, from the published bytes by a rule that is
 * data; no code knows a platform's types, and no amount passes through a floating-point number (R-MON-3).
 */
import { decodeString, type Slice, scanArray, scanObject, scanValue } from '@/server/core/json-slice';

/** What a catalogue entry says about money. Pointers are JSON pointers (RFC 6901) into the published body. */
export interface MoneyRule {
  /** Always a movement of money, only when the text at `pointer` is one of `values`, or never. */
  money: 'always' | { pointer: string; values: readonly string[] } | null;
  /** Whole minor units, a number or a string of one. */
  amount?: string;
  currency?: string;
  /** How many decimals a minor unit stands for. */
  exponent?: string;
  /** The id of the payment or other object, for search. */
  resource?: string;
}

/** `amount` is a decimal string of minor units. Amount, currency and exponent are null where `money` is false. */
export interface MoneyFacts {
  money: boolean;
  amount: string | null;
  currency: string | null;
  exponent: number | null;
  resource: string | null;
}

const NO_MONEY: MoneyFacts = { money: false, amount: null, currency: null, exponent: null, resource: null };
const MAX_AMOUNT_DIGITS = 38;
const MAX_RESOURCE = 255;
const MAX_EXPONENT = 18;

/** Evaluates a rule on the published bytes; no rule, no body and no JSON are all "not money" (R-MON-1 to 3). */
export function evaluateMoney(rule: MoneyRule | null, bytes: Uint8Array): MoneyFacts {
  if (rule === null) return { ...NO_MONEY };
  const body = openBody(bytes);
  if (body === null) return { ...NO_MONEY };
  const read = (pointer: string | undefined) => (pointer === undefined ? null : body.textAt(pointer));
  const resource = resourceOf(read(rule.resource));
  if (!isMoney(rule, read)) return { ...NO_MONEY, resource };
  return {
    money: true,
    amount: amountOf(read(rule.amount)),
    currency: currencyOf(read(rule.currency)),
    exponent: exponentOf(read(rule.exponent)),
    resource,
  };
}

/** The tokens of a JSON pointer (RFC 6901); null when the text is none. */
export function parsePointer(pointer: string): string[] | null {
  if (pointer === '') return [];
  if (!pointer.startsWith('/') || /~(?![01])/.test(pointer)) return null;
  return pointer
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** A string or number of the body as text; a number's text is as published, to the last digit. */
interface Scalar {
  kind: 'string' | 'number';
  text: string;
}

function isMoney(rule: MoneyRule, read: (pointer: string) => Scalar | null): boolean {
  if (rule.money === null || rule.money === 'always') return rule.money === 'always';
  const found = read(rule.money.pointer);
  return found?.kind === 'string' && rule.money.values.includes(found.text);
}

/** The body as something pointers read from; each container is scanned at most once. Null when it is no JSON. */
function openBody(bytes: Uint8Array): { textAt(pointer: string): Scalar | null } | null {
  const whole = scanValue(bytes);
  if (!whole.ok) return null;
  const childrenOf = new Map<number, ReadonlyMap<string, Slice>>();

  const child = (within: Slice, token: string): Slice | null => {
    let children = childrenOf.get(within.start);
    if (children === undefined) {
      children = scanChildren(bytes, within);
      childrenOf.set(within.start, children);
    }
    return children.get(token) ?? null;
  };

  return {
    textAt(pointer) {
      const tokens = parsePointer(pointer);
      let at: Slice | null = tokens === null ? null : whole;
      for (const token of tokens ?? []) at = at === null ? null : child(at, token);
      return at === null ? null : scalarAt(bytes, at);
    },
  };
}

/** What lies in an object by key, of a key twice the last as JSON.parse has it, or in an array by index. */
function scanChildren(bytes: Uint8Array, within: Slice): ReadonlyMap<string, Slice> {
  const options = { within, maxDepth: Number.POSITIVE_INFINITY, maxEntries: Number.POSITIVE_INFINITY };
  if (bytes[within.start] === 0x5b) {
    const scan = scanArray(bytes, options);
    return new Map(scan.ok ? scan.items.map((item, index) => [String(index), item]) : []);
  }
  const scan = scanObject(bytes, { ...options, duplicates: 'last' });
  return scan.ok ? scan.entries : new Map();
}

function scalarAt(bytes: Uint8Array, slice: Slice): Scalar | null {
  const first = bytes[slice.start] ?? 0;
  if (first === 0x22) return { kind: 'string', text: decodeString(bytes, slice) };
  if (first !== 0x2d && (first < 0x30 || first > 0x39)) return null;
  return { kind: 'number', text: String.fromCharCode(...bytes.subarray(slice.start, slice.end)) };
}

/** Whole minor units, exactly; what has a fraction, is no number or is absurdly long is null, never rounded. */
function amountOf(found: Scalar | null): string | null {
  const match = /^(-?)(\d{1,400})(?:\.(\d{1,400}))?(?:[eE]([+-]?\d{1,3}))?$/.exec(found?.text ?? '');
  if (match === null) return null;
  const [, sign = '', whole = '', fraction = '', power = '0'] = match;
  const digits = `${whole}${fraction}`.replace(/^0+(?=\d)/, '');
  const shift = Number(power) - fraction.length;
  if (/^0+$/.test(digits)) return '0';
  const cut = shift < 0 ? digits.slice(0, shift) : digits + '0'.repeat(shift);
  const lost = shift < 0 ? digits.slice(shift) : '';
  if (/[^0]/.test(lost) || cut === '' || cut.length > MAX_AMOUNT_DIGITS) return null;
  return (sign === '-' ? -BigInt(cut) : BigInt(cut)).toString();
}

function currencyOf(found: Scalar | null): string | null {
  return found?.kind === 'string' && /^[A-Za-z0-9]{2,12}$/.test(found.text) ? found.text.toUpperCase() : null;
}

function exponentOf(found: Scalar | null): number | null {
  const text = found?.text ?? '';
  return /^\d{1,2}$/.test(text) && Number(text) <= MAX_EXPONENT ? Number(text) : null;
}

function resourceOf(found: Scalar | null): string | null {
  return found !== null && found.text !== '' && found.text.length <= MAX_RESOURCE ? found.text : null;
}
