// Commands about the database file.
import { migrate } from '@/db/sqlite/migrate';
import type { Command } from './command';
import { backupDatabase, checkDatabase } from './maintenance';

const migrateCommand: Command = {
  name: 'migrate',
  help: 'bring the database up to date; a copy is made first',
  options: { 'no-backup': { help: 'go on where the disk has no room for the copy' } },
  async run(host, values) {
    const options = { noBackup: values.flag('no-backup') };
    const done = await (host.migrate?.(options) ?? migrate(host.databaseFile(), options));
    const copy = done.copy === null ? [] : [`A copy of what was there: ${done.copy}`];
    const lines =
      done.applied.length === 0 ? ['The database is up to date.'] : [`Applied: ${done.applied.join(', ')}`];
    return { lines: [...lines, ...copy], data: done };
  },
};

const check: Command = {
  name: 'check',
  help: 'look the database over: integrity, stuck rows, keys; changes nothing',
  options: {},
  async run(host) {
    const { deps } = await host.open();
    const findings = checkDatabase(host.databaseFile(), { now: deps.clock.now(), secretBox: deps.secretBox });
    return {
      lines: findings.map(
        ({ check: what, ok, message }) => `${ok ? 'ok  ' : 'BAD '} ${what.padEnd(11)} ${message}`,
      ),
      data: { findings },
      unwell: findings.some(({ ok }) => !ok),
    };
  },
};

const backup: Command = {
  name: 'backup',
  operand: 'FILE',
  help: 'write a consistent copy while the product runs',
  options: {},
  async run(host, values) {
    const made = backupDatabase(host.databaseFile(), values.positional(0, 'the file to write'));
    return { lines: [`${made.path}, ${made.bytes} bytes`], data: made };
  },
};

export const databaseCommands: readonly Command[] = [migrateCommand, check, backup];
