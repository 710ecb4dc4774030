import { fileURLToPath } from 'node:url';
import { migrate } from '../sqlite/migrate';
import { createSqliteStore } from '../sqlite/store';

/*
 * A process of its own, for tests that kill one: `migrate PATH FOLDER` brings the file up to date and prints what it
 * applied; `publish PATH NAME` publishes for ever and prints each event's id once the store has acknowledged it.
 */
export const CHILD = fileURLToPath(import.meta.url);
const [verb, path = '', argument = ''] = process.argv.slice(2);

async function publishForever(): Promise<void> {
  const store = createSqliteStore({ path, newId: (prefix) => `${prefix}_${argument}` });
  for (let turn = 0; ; turn += 1) {
    const ids = Array.from({ length: 8 }, (_, nth) => `evt_${argument}_${turn}_${nth}`);
    await Promise.all(
      ids.map(async (publicId) => {
        await store.publish({
          records: [
            {
              appId: 1,
              environment: 'test',
              publicId,
              type: 'order.created',
              body: Buffer.from(publicId),
              contentType: 'application/json',
              bodySha256: 'x',
              createdAt: turn,
              occurredAt: null,
              money: false,
              amount: null,
              currency: null,
              exponent: null,
              resource: null,
              testEndpointId: null,
              actor: null,
            },
          ],
        });
        process.stdout.write(`${publicId}\n`);
      }),
    );
  }
}

if (process.argv[1] === CHILD) {
  if (verb === 'migrate') {
    const { applied } = await migrate(path, { folder: argument });
    process.stdout.write(JSON.stringify(applied));
  } else {
    await publishForever();
  }
}
