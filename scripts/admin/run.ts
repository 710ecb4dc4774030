// One run of `npm run admin`: find the command, do it, say what came of it.
import { ServiceError } from '@/server/services/service-error';
import { accountCommands } from './account-commands';
import { appCommands } from './app-commands';
import { readValues, UsageError } from './args';
import type { AdminHost, Command, Report } from './command';
import { databaseCommands } from './database-commands';

export interface AdminRun {
  container: AdminHost;
  print(line: string, stream: 'out' | 'err'): void;
}

const COMMANDS: readonly Command[] = [...accountCommands, ...appCommands, ...databaseCommands];

/** `0` done · `1` refused or failed · `2` the command line is wrong · `3` `check` found something. */
export type ExitCode = 0 | 1 | 2 | 3;

/** Runs one command, `argv` without node and script. Never throws. */
export async function runAdmin(argv: readonly string[], run: AdminRun): Promise<ExitCode> {
  const json = argv.includes('--json');
  try {
    const command = findCommand(argv);
    if (command === null || argv.includes('--help') || argv.includes('-h')) {
      for (const line of command ? helpOf(command) : overview()) run.print(line, 'out');
      return argv.length === 0 ? 2 : 0;
    }
    const words = argv.slice(command.name.split(' ').length);
    return report(await command.run(run.container, readValues(words, command.options)), run, json);
  } catch (cause) {
    return refuse(cause, run, json);
  }
}

function report({ lines, data, unwell }: Report, { print }: AdminRun, json: boolean): ExitCode {
  if (json) print(JSON.stringify(data), 'out');
  else for (const line of lines) print(line, 'out');
  return unwell ? 3 : 0;
}

function refuse(cause: unknown, { print }: AdminRun, json: boolean): ExitCode {
  const { code, message } = problemOf(cause);
  print(json ? JSON.stringify({ error: { code, message } }) : message, 'err');
  if (!json && code === 'usage') print('npm run admin -- --help shows every command.', 'err');
  return code === 'usage' ? 2 : 1;
}

function problemOf(cause: unknown): { code: string; message: string } {
  if (cause instanceof UsageError) return { code: 'usage', message: cause.message };
  if (cause instanceof ServiceError) {
    const details = (cause.details ?? []).map(({ path, message }) => ` ${path}: ${message}`);
    return { code: cause.code, message: [cause.message, ...new Set(details)].join('') };
  }
  const own = (cause as { code?: unknown } | null)?.code;
  const message = cause instanceof Error ? cause.message : String(cause);
  return { code: typeof own === 'string' ? own : 'failed', message };
}

/** @throws UsageError on a command that does not exist; null: none was named. */
function findCommand(argv: readonly string[]): Command | null {
  const words = argv.filter((word) => !word.startsWith('-'));
  if (words.length === 0) return null;
  const found = COMMANDS.find(({ name }) => name.split(' ').every((word, n) => argv[n] === word));
  if (found) return found;
  const near = COMMANDS.filter(({ name }) => name.split(' ')[0] === words[0]).map(({ name }) => name);
  const hint = near.length > 0 ? ` Did you mean: ${near.join(', ')}?` : '';
  throw new UsageError(`There is no command "${words.slice(0, 2).join(' ')}".${hint}`);
}

function overview(): readonly string[] {
  const width = Math.max(...COMMANDS.map(({ name }) => name.length));
  return [
    'npm run admin -- COMMAND [OPTIONS] [--json]',
    '',
    ...COMMANDS.map(({ name, help }) => `  ${name.padEnd(width)}  ${help}`),
    '',
    'npm run admin -- COMMAND --help shows its options.',
  ];
}

function helpOf({ name, help, operand, options }: Command): readonly string[] {
  const rows = Object.entries(options).map(([option, { value, required, help: text }]) => ({
    flag: `--${option}${value === undefined ? '' : ` ${value}`}`,
    text: `${text}${required ? ' (required)' : ''}`,
  }));
  const width = Math.max(0, ...rows.map(({ flag }) => flag.length));
  return [
    `npm run admin -- ${name}${operand ? ` ${operand}` : ''}${rows.length > 0 ? ' [OPTIONS]' : ''} [--json]`,
    help,
    ...rows.map(({ flag, text }) => `  ${flag.padEnd(width)}  ${text}`),
  ];
}
