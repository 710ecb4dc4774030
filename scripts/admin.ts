// `npm run admin -- …`: the installation's people, organizations, apps, keys and database, from a terminal.
import { pendingMigrations } from '@/db/sqlite/migrate';
import { type Container, createContainer } from '@/server/container';
import { readEnv } from '@/server/env';
import { UsageError } from './admin/args';
import { runAdmin } from './admin/run';

// Log lines stand on stdout, where `--json` promises one answer: only what went wrong may join it.
process.env['LOG_LEVEL'] ??= 'error';

async function main(): Promise<void> {
  let opened: Container | null = null;
  const code = await runAdmin(process.argv.slice(2), {
    print: (line, stream) => (stream === 'out' ? console.log(line) : console.error(line)),
    container: {
      databaseFile: () => readEnv().databaseFile,
      async open() {
        if (pendingMigrations(readEnv().databaseFile).length > 0) {
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
