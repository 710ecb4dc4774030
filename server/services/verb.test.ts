import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createServiceWorld } from '@/server/testing/service-world';
import type { Access } from './access';
import { ServiceError } from './service-error';
import { defineVerb } from './verb';

const ACCESS = { scope: 'endpoints:write', role: 'admin' } as const;
const input = z.strictObject({ name: z.string() });
const SYSTEM = { kind: 'system' } as const;

describe('the one wrapper', () => {
  it('D03 D37 forgetting scope, schema or audit does not type-check', () => {
    const handler = async () => 'x';
    // @ts-expect-error no access
    defineVerb({ name: 'x', kind: 'query', audit: 'none', target: 'app', input, handler });
    // @ts-expect-error no input schema
    defineVerb({ name: 'x', kind: 'query', audit: 'none', target: 'app', access: ACCESS, handler });
    // @ts-expect-error no audit entry
    defineVerb({ name: 'x', kind: 'command', target: 'app', access: ACCESS, input, handler });
    // @ts-expect-error a command cannot go without one
    defineVerb({ name: 'x', kind: 'command', audit: 'none', target: 'app', access: ACCESS, input, handler });
    // @ts-expect-error no such scope
    const unknownScope: Access = { scope: 'all', role: 'any' };
    // @ts-expect-error a scope without a role says half
    const withoutRole: Access = { scope: 'session' };
    expect([unknownScope, withoutRole]).toHaveLength(2);
  });

  it('D37 the audit entry is in the command’s transaction: what fails leaves neither', async () => {
    const world = await createServiceWorld();
    const verb = defineVerb({
      name: 'x.make',
      kind: 'command',
      target: 'environment',
      access: ACCESS,
      input,
      handler: async ({ tx, scope, input: { name }, now }) => {
        await tx.updateAppEnvironment(scope, { envelope: 'none' });
        await tx.setMeta('made', name);
        if (name === 'bad') throw new ServiceError('conflict', 'No.');
        return now;
      },
      audit: { action: 'x.made', object: () => null },
    });
    const call = (name: string) =>
      verb.call(
        { actor: SYSTEM, deps: world.deps, requestId: 'r' },
        { appId: world.app.publicId, environment: 'test', input: { name } },
      );
    await expect(call('bad')).rejects.toMatchObject({ code: 'conflict' });
    expect(await world.store.read.meta('made')).toBeNull();
    expect(await world.audit()).toEqual([]);
    await call('good');
    expect(await world.store.read.meta('made')).toBe('good');
    expect(await world.audit()).toEqual([
      expect.objectContaining({ action: 'x.made', result: 'ok', requestId: 'r' }),
    ]);
    await world.close();
  });

  it('API-400 unknown fields are errors with their path; the app comes first', async () => {
    const world = await createServiceWorld();
    const verb = defineVerb({
      name: 'x.read',
      kind: 'query',
      audit: 'none',
      target: 'app',
      access: ACCESS,
      input: z.strictObject({ list: z.array(z.strictObject({ n: z.number() })) }),
      handler: async () => 1,
    });
    const raw = { list: [{ n: 1 }, { n: 'two', extra: 1 }] } as unknown as { list: { n: number }[] };
    const call = (appId: string) =>
      verb.call({ actor: SYSTEM, deps: world.deps, requestId: 'r' }, { appId, input: raw });
    await expect(call(world.app.publicId)).rejects.toMatchObject({
      code: 'invalid_request',
      details: [{ path: 'list.1.n' }, { path: 'list.1.extra', message: 'This field is not known.' }],
    });
    await expect(call('nonsense')).rejects.toMatchObject({ code: 'not_found' });
    await world.close();
  });

  it('R-PUB-5 a key whose work fails is free again', async () => {
    const world = await createServiceWorld();
    let fails = true;
    const verb = defineVerb({
      name: 'x.once',
      kind: 'command',
      target: 'environment',
      access: ACCESS,
      input,
      handler: async () => {
        if (fails) throw new ServiceError('conflict', 'No.');
        return 'made';
      },
      audit: { action: 'x.once', object: () => null },
    });
    const call = () =>
      verb.callOnce(
        { actor: SYSTEM, deps: world.deps, requestId: 'r' },
        { appId: world.app.publicId, environment: 'test', input: { name: 'a' } },
        { key: 'k', contentHash: 'h', answer: (result) => ({ status: 201, body: result }) },
      );
    await expect(call()).rejects.toMatchObject({ code: 'conflict' });
    fails = false;
    expect(await call()).toEqual({ kind: 'done', result: 'made' });
    expect(await call()).toEqual({ kind: 'replayed', status: 201, body: 'made' });
    expect((await world.audit()).filter((row) => row.action === 'x.once')).toHaveLength(1);
    await world.close();
  });
});
