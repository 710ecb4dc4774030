/**
 * Invariant: a Retry-After that is not exactly a number of seconds or an HTTP date is as if absent (R-ATT-11).
 */

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const DAY = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)';
const LONG_DAY = '(?:Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)';
const MONTH = `(?<month>${MONTHS.join('|')})`;
const TIME = '(?<hour>\\d{2}):(?<minute>\\d{2}):(?<second>\\d{2})';

/** The three forms of RFC 9110 §5.6.7: IMF-fixdate, the obsolete RFC 850 date and asctime's. */
const DATE_FORMS = [
  new RegExp(`^${DAY}, (?<day>\\d{2}) ${MONTH} (?<year>\\d{4}) ${TIME} GMT$`),
  new RegExp(`^${LONG_DAY}, (?<day>\\d{2})-${MONTH}-(?<year>\\d{2}) ${TIME} GMT$`),
  new RegExp(`^${DAY} ${MONTH} (?<day>[ \\d]\\d) ${TIME} (?<year>\\d{4})$`),
];

/**
 * The wait that a receiver asks for, in ms; of several valid values the larger. A date that has passed asks for 0,
 * which postpones nothing. Null when no value is valid (R-ATT-11).
 * @param values the header's field values, one a line as received.
 */
export function parseRetryAfter(values: readonly string[], nowMs: number): number | null {
  let longest: number | null = null;
  for (const value of values) {
    const waitMs = parseOne(value.replace(/^[ \t]+|[ \t]+$/g, ''), nowMs);
    if (waitMs !== null) longest = Math.max(longest ?? 0, waitMs);
  }
  return longest;
}

function parseOne(value: string, nowMs: number): number | null {
  if (/^\d{1,10}$/.test(value)) return Number(value) * 1000;
  const at = parseHttpDate(value, nowMs);
  return at === null ? null : Math.max(at - nowMs, 0);
}

/** An HTTP date as epoch ms; a two-digit year that seems more than 50 years ahead is of the century before. */
export function parseHttpDate(text: string, nowMs: number): number | null {
  for (const form of DATE_FORMS) {
    const groups = form.exec(text)?.groups;
    if (groups !== undefined) return instantOf(groups, nowMs);
  }
  return null;
}

function instantOf(groups: Record<string, string>, nowMs: number): number | null {
  const part = (name: string) => Number(groups[name]);
  const month = MONTHS.indexOf(groups.month ?? '');
  const year = groups.year?.length === 2 ? fullYear(part('year'), nowMs) : part('year');
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const inRange = part('hour') < 24 && part('minute') < 60 && part('second') <= 60;
  if (year < 1000 || part('day') < 1 || part('day') > lastDay || !inRange) return null;
  return Date.UTC(year, month, part('day'), part('hour'), part('minute'), part('second'));
}

function fullYear(twoDigits: number, nowMs: number): number {
  const thisYear = new Date(nowMs).getUTCFullYear();
  const year = thisYear - (thisYear % 100) + twoDigits;
  return year > thisYear + 50 ? year - 100 : year;
}
