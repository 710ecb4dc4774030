import { describe, expect, it } from 'vitest';
import { createServiceWorld } from '@/server/testing/service-world';
import { hotReads } from './hot-reads';
import { authenticateKey } from './keys';

describe('reads of the publishing path', () => {
  it('PERF-READS a question is asked once between two commits, and anew after each', async () => {
    const world = await createServiceWorld();
    const scope = { appId: world.app.id, environment: 'test' as const };
    const hot = hotReads(world.store);
    const first = await hot.appEnvironment(scope);
    expect(await hot.appEnvironment(scope)).toBe(first);
    await world.store.transact((tx) => tx.updateAppEnvironment(scope, { envelope: 'none' }));
    expect((await hot.appEnvironment(scope))?.envelope).toBe('none');
    expect(await hot.eventType(world.app.id, 'a.b')).toBeNull();
    expect((await hot.app(world.app.publicId))?.id).toBe(world.app.id);
    expect(await hot.app('nonsense')).toBeNull();
    await world.close();
  });

  it('D09 D19 a key that another process revokes is refused at once', async () => {
    const world = await createServiceWorld();
    const { text, row } = await world.key();
    expect(await authenticateKey(world.deps, text)).toMatchObject({ keyId: row.publicId });
    await world.audit();
    expect(await authenticateKey(world.deps, text)).not.toBeNull();
    const { default: Database } = await import('better-sqlite3');
    const db = new Database((world.store as unknown as { path: string }).path);
    db.prepare('UPDATE api_keys SET revoked_at = ? WHERE id = ?').run(world.clock.now(), row.id);
    db.close();
    expect(await authenticateKey(world.deps, text)).toBeNull();
    await world.close();
  });

  it('D19 a key that ends while it is remembered is refused', async () => {
    const world = await createServiceWorld();
    const { text } = await world.key({ expiresAt: world.clock.now() + 1_000 });
    expect(await authenticateKey(world.deps, text)).not.toBeNull();
    await world.clock.advance(1_000);
    expect(await authenticateKey(world.deps, text)).toBeNull();
    await world.close();
  });
});
