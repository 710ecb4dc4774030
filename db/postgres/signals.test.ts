import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Change } from '@/server/ports/store';
import { createTestPostgresStore, type TestPostgresStore } from '@/server/testing/temp-postgres';
import { type Bed, createBed, DOWN, T0 } from '../conformance/bed.conformance';

let store: TestPostgresStore;
let other: TestPostgresStore;
let bed: Bed;
let heard: Change[][];
let warnings: string[];
let beside: pg.Client;

beforeEach(async () => {
  warnings = [];
  store = await createTestPostgresStore();
  other = await createTestPostgresStore({ url: store.url, onWarning: (event) => void warnings.push(event) });
  beside = new pg.Client({ connectionString: store.url });
  await beside.connect();
  const nothing = async () => undefined;
  const rows = async () => [];
  bed = await createBed({
    store,
    another: async () => other,
    damage: nothing,
    exec: nothing,
    rows,
    close: nothing,
  });
  heard = [];
  other.onChange((changes) => void heard.push([...changes]));
});

afterEach(async () => {
  await beside.end();
  await other.close();
  await store.close();
});

const told = (kind: Change['kind']) => [{ appId: bed.app.id, environment: 'test', kind }];

describe('what one process commits, the others hear', () => {
  it('R-PUB-6 publishing, settling, moving: each with its app, environment and kind, once', async () => {
    await bed.addEndpoint();
    await expect.poll(() => heard).toContainEqual(told('endpoint'));
    heard.length = 0;
    await bed.publish();
    await expect.poll(() => heard).toEqual([told('published')]);
    heard.length = 0;
    const own: (readonly Change[])[] = [];
    store.onChange((changes) => void own.push(changes));
    const [claimed] = await bed.claim();
    await bed.finish(claimed!, DOWN, T0 + 5);
    await expect.poll(() => heard).toEqual([told('settled')]);
    // This one told its own listeners itself; the echo is not heard.
    expect(own).toEqual([told('settled')]);
  });

  it('R-PUB-6 nothing is heard of what was undone, and nothing is told where nothing was written', async () => {
    await bed.addEndpoint();
    await expect.poll(() => heard).toContainEqual(told('endpoint'));
    heard.length = 0;
    const failing = store.transact(async (tx) => {
      await tx.publish({ records: [bed.record()] });
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    await bed.claim();
    const version = other.version();
    await store.transact(async (tx) => void (await tx.app(bed.app.publicId)));
    await bed.publish();
    await expect.poll(() => heard).toEqual([told('published')]);
    expect(other.version()).toBe(version + 1);
  });

  it('R-PUB-6 a setting that no list shows raises the version of the others all the same', async () => {
    // The app's own making is heard first.
    await expect.poll(() => heard.length).toBeGreaterThan(0);
    const before = [store.version(), other.version()];
    await store.transact((tx) =>
      tx.updateAppEnvironment({ appId: bed.app.id, environment: 'test' }, { envelope: 'none' }),
    );
    expect(store.version()).not.toBe(before[0]);
    await expect.poll(() => other.version()).not.toBe(before[1]);
  });

  it('R-PUB-6 many changes of one transaction are told in several messages', async () => {
    const apps = [];
    for (let n = 0; n < 70; n += 1) apps.push(await bed.addApp());
    heard.length = 0;
    await store.publish({ records: apps.map((app) => bed.record({ app })) });
    await expect.poll(() => heard.flat()).toHaveLength(70);
    expect(heard.filter((changes) => changes.length > 0)).toHaveLength(2);
  });

  it('R-PUB-6 a listener whose connection breaks opens another one; meanwhile every look shows a change', async () => {
    await beside.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'hookladder listener'",
    );
    await expect.poll(() => warnings).toContain('listening_stopped');
    const first = other.version();
    expect(other.version()).not.toBe(first);
    await other.listening();
    // What was committed meanwhile may have been anything.
    await expect.poll(() => heard).toContainEqual([]);
    heard.length = 0;
    await bed.publish();
    await expect.poll(() => heard.flat()).toContainEqual(told('published')[0]);
    const version = other.version();
    expect(other.version()).toBe(version);
  });

  it('R-PUB-6 what others say on the channel in another form is passed over', async () => {
    await beside.query("SELECT pg_notify('hookladder', 'not json'), pg_notify('hookladder', '{}')");
    await bed.publish();
    await expect.poll(() => heard).toContainEqual(told('published'));
    expect(heard.flat().every((change) => 'kind' in change)).toBe(true);
  });
});
