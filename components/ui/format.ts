/** Plain formatting of instants (epoch ms), spans (ms) and amounts; no clock, no locale of the machine. */

export type Zone = 'local' | 'utc';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** At most two units, largest first: "2 m 10 s", "4 h", "3 d 2 h". Below a second: "0 s". */
export function span(ms: number): string {
  const abs = Math.abs(ms);
  if (abs < MINUTE) return `${Math.floor(abs / SECOND)} s`;
  if (abs < HOUR) return pair([Math.floor(abs / MINUTE), 'm'], [Math.floor((abs % MINUTE) / SECOND), 's']);
  if (abs < DAY) return pair([Math.floor(abs / HOUR), 'h'], [Math.floor((abs % HOUR) / MINUTE), 'm']);
  return pair([Math.floor(abs / DAY), 'd'], [Math.floor((abs % DAY) / HOUR), 'h']);
}

function pair(first: [number, string], second: [number, string]): string {
  const head = `${first[0]} ${first[1]}`;
  return second[0] === 0 ? head : `${head} ${second[0]} ${second[1]}`;
}

/** One unit: "38 s", "4 m", "2 h", "3 d". */
export function shortSpan(ms: number): string {
  const abs = Math.abs(ms);
  if (abs < MINUTE) return `${Math.floor(abs / SECOND)} s`;
  if (abs < HOUR) return `${Math.floor(abs / MINUTE)} m`;
  if (abs < DAY) return `${Math.floor(abs / HOUR)} h`;
  return `${Math.floor(abs / DAY)} d`;
}

/** Distance from an origin on the timeline: "+1 s", "+38 ms", "+1 m 3 s". */
export function offset(ms: number): string {
  return ms < SECOND ? `+${Math.round(ms)} ms` : `+${span(ms)}`;
}

/** "38 ms", "1,204 ms": durations of attempts are always in ms. */
export function durationMs(ms: number): string {
  return `${Math.round(ms).toLocaleString('en')} ms`;
}

function part(instant: number, zone: Zone, options: Intl.DateTimeFormatOptions): string {
  const timeZone = zone === 'utc' ? 'UTC' : undefined;
  return new Intl.DateTimeFormat('en-GB', { ...options, timeZone }).format(instant);
}

/** "14:02:07" */
export function clockTime(instant: number, zone: Zone): string {
  return part(instant, zone, { hour: '2-digit', minute: '2-digit', second: '2-digit' });
}

/** "2 Mar 14:02:07" */
export function dayTime(instant: number, zone: Zone): string {
  return `${part(instant, zone, { day: 'numeric', month: 'short' })} ${clockTime(instant, zone)}`;
}

/** "14:02:07", with the day in front when it is another one than that of `now`. */
export function nearTime(instant: number, now: number, zone: Zone): string {
  const day = (at: number) => part(at, zone, { day: 'numeric', month: 'numeric', year: 'numeric' });
  return day(instant) === day(now) ? clockTime(instant, zone) : dayTime(instant, zone);
}

/** "2 Mar 2026, 14:02:07.481 UTC" */
export function exactTime(instant: number, zone: Zone): string {
  const date = part(instant, zone, { day: 'numeric', month: 'short', year: 'numeric' });
  const ms = String(((instant % SECOND) + SECOND) % SECOND).padStart(3, '0');
  const name = zone === 'utc' ? 'UTC' : zoneName(instant);
  return `${date}, ${clockTime(instant, zone)}.${ms} ${name}`;
}

function zoneName(instant: number): string {
  const parts = new Intl.DateTimeFormat('en-GB', { timeZoneName: 'short' }).formatToParts(instant);
  return parts.find((p) => p.type === 'timeZoneName')?.value ?? '';
}

/** Minor units in decimal digits → "4,120,000.00"; exact for any length (no floating point). */
export function amountText(minor: string, exponent: number): string {
  const negative = minor.startsWith('-');
  const digits = (negative ? minor.slice(1) : minor).padStart(exponent + 1, '0');
  const whole = digits.slice(0, digits.length - exponent).replace(/\B(?=(\d{3})+(?!\d))/g, ',');
  const fraction = exponent > 0 ? `.${digits.slice(digits.length - exponent)}` : '';
  return `${negative ? '−' : ''}${whole}${fraction}`;
}

/** The narrow sign of an ISO 4217 code, or ¤ where it is unknown. */
export function currencySign(currency: string | null): string {
  if (!currency || !/^[A-Za-z]{3}$/.test(currency)) return '¤';
  const parts = new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
    currencyDisplay: 'narrowSymbol',
  }).formatToParts(0);
  const sign = parts.find((p) => p.type === 'currency')?.value ?? '¤';
  return sign.length > 3 ? '¤' : sign;
}
