// Invariant: header names and values of a receiver are compared and cut, never used as keys and never parsed here.

const MAX_RETRY_AFTER_VALUES = 8;
const MAX_RETRY_AFTER = 128;
const MAX_LOCATION = 2_048;

/** Every `Retry-After` value; undici hands names and values over by turns, as bytes. R-ATT-11. */
export function retryAfterOf(raw: readonly Buffer[]): readonly string[] {
  return valuesOf(raw, 'retry-after')
    .slice(0, MAX_RETRY_AFTER_VALUES)
    .map((value) => textOf(value, MAX_RETRY_AFTER));
}

/** Where a redirect points, as text, cut at 2,048 characters. R-ATT-4. */
export function locationOf(raw: readonly Buffer[]): string | null {
  const first = valuesOf(raw, 'location')[0];
  return first === undefined ? null : textOf(first, MAX_LOCATION);
}

function valuesOf(raw: readonly Buffer[], name: string): Buffer[] {
  const values: Buffer[] = [];
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const key = raw[index];
    const value = raw[index + 1];
    if (key === undefined || value === undefined || key.length !== name.length) continue;
    if (key.toString('latin1').toLowerCase() === name) values.push(value);
  }
  return values;
}

/** A character has at most four bytes: no more than that is decoded. */
function textOf(bytes: Buffer, maxLength: number): string {
  const text = bytes
    .subarray(0, maxLength * 4)
    .toString('utf8')
    .slice(0, maxLength);
  return text.replace(/[\ud800-\udbff]$/, '');
}
