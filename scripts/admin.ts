// `npm run admin -- …`: the installation's people, organizations, apps, keys and database, from a terminal.
import { type Container, createContainer } from '@/server/container';
import { readEnv } from '@/server/env';
import { migrateDatabase, pendingMigrations } from '@/server/storage';
import { UsageError } from './admin/args';
import { runAdmin } from './admin/run';

// Log lines stand on stdout, where `--json` promises one answer: only what went wrong may join it.
process.env['LOG_LEVEL'] ??= 'error';

/** @throws UsageError where the database is no file */
function sqliteFile(): string {
  const { databaseFile, postgresUrl } = readEnv();
  if (postgresUrl === null) return databaseFile;
  throw new UsageError(
    'This command is for SQLite. Back PostgreSQL up, and check it, with its own tools (pg_dump).',
  );
}

async function main(): Promise<void> {
  let opened: Container | null = null;
  const code = await runAdmin(process.argv.slice(2), {
    print: (line, stream) => (stream === 'out' ? console.log(line) : console.error(line)),
    container: {
      databaseFile: sqliteFile,
      migrate: (options) => migrateDatabase(readEnv(), options),
      async open() {
        if ((await pendingMigrations(readEnv())).length > 0) {
          throw new UsageError('The database is not up to date. Run first: npm run admin -- migrate');
        }
        opened ??= createContainer('admin');
        return { deps: opened.services, accounts: opened.accounts };
      },
    },
  });
  await (opened as Container | null)?.close();
  process.exitCode = code;
}

await main();
