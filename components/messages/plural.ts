const rules = new Intl.PluralRules('en');
const number = new Intl.NumberFormat('en', { useGrouping: true });

/** 12345 → "12,345". */
export function figure(n: number): string {
  return number.format(n);
}

/** A count with its noun in the right number: "1 delivery", "4,120 deliveries". */
export function count(n: number, one: string, many = `${one}s`): string {
  return `${figure(n)} ${rules.select(n) === 'one' ? one : many}`;
}
