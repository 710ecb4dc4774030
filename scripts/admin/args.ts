// From words on a command line to values: everything wrong with them is said before anything is opened.
import { type ParseArgsConfig, parseArgs } from 'node:util';

/** The command line is wrong; the message says what to write. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export interface Option {
  /** What stands for the value in the help; a flag has none. */
  value?: string;
  required?: boolean;
  help: string;
}

export type Options = Readonly<Record<string, Option>>;

export interface Values {
  text(name: string): string | undefined;
  /** @throws UsageError when it was left out */
  need(name: string): string;
  flag(name: string): boolean;
  positional(index: number, what: string): string;
}

/** Reads the words behind a command's name. @throws UsageError */
export function readValues(words: readonly string[], options: Options): Values {
  const { values, positionals } = parse(words, options);
  for (const [name, option] of Object.entries(options)) {
    if (option.required && values[name] === undefined) throw new UsageError(missing(name, option));
  }
  const text = (name: string) => {
    const value = values[name];
    return typeof value === 'string' ? value : undefined;
  };
  return {
    text,
    need(name) {
      const value = text(name);
      if (value === undefined) throw new UsageError(missing(name, options[name]));
      return value;
    },
    flag: (name) => values[name] === true,
    positional(index, what) {
      const value = positionals[index];
      if (value === undefined) throw new UsageError(`Name ${what}.`);
      return value;
    },
  };
}

function parse(words: readonly string[], options: Options) {
  const config: ParseArgsConfig['options'] = {
    json: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  };
  for (const [name, { value }] of Object.entries(options)) {
    config[name] = { type: value === undefined ? 'boolean' : 'string' };
  }
  try {
    return parseArgs({ args: [...words], options: config, allowPositionals: true, strict: true });
  } catch (cause) {
    throw new UsageError(firstSentence(cause));
  }
}

function missing(name: string, option: Option | undefined): string {
  return `--${name} is missing: write --${name} ${option?.value ?? ''}`.trim();
}

/** Node's own words name the option; its advice behind them is about Node. */
function firstSentence(cause: unknown): string {
  const message = cause instanceof Error ? cause.message : String(cause);
  return `${message.split('. ')[0]?.split('\n')[0] ?? message}.`;
}

/** `90d`, `12h` or a date in ISO 8601; epoch ms. @throws UsageError */
export function readExpiry(text: string, now: number): number {
  const span = /^(\d{1,4})([hd])$/.exec(text);
  if (span) return now + Number(span[1]) * (span[2] === 'h' ? 3_600_000 : 86_400_000);
  const at = /^\d{4}-\d{2}-\d{2}(T.*)?$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at))
    throw new UsageError(`--expires ${text}: write a span such as 90d, or a date such as 2027-06-30.`);
  return at;
}

/** Comma-separated words, each one of `known`. @throws UsageError */
export function readWords<T extends string>(name: string, text: string, known: readonly T[]): T[] {
  const words = text.split(',').map((word) => word.trim());
  return words.map((word) => readWord(name, word, known));
}

/** @throws UsageError */
export function readWord<T extends string>(name: string, text: string, known: readonly T[]): T {
  const found = known.find((one) => one === text);
  if (found === undefined) throw new UsageError(`--${name} ${text}: write one of ${known.join(', ')}.`);
  return found;
}
