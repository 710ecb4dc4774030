import { describe, expect, it } from 'vitest';
import type { Environment } from '@/server/core/model';
import type { ReceiverBehaviour } from '@/server/core/receiver-behaviour';
import { createWorld } from '@/server/testing/world';
import { answerAsReceiver, createReceiver, receiverPath } from './receivers';

async function withReceiver(behaviour: ReceiverBehaviour, draws: readonly number[] = [0]) {
  const { store, clock, random, app } = await createWorld();
  const scope = { appId: app.id, environment: 'test' as Environment };
  const row = await store.transact((tx) =>
    createReceiver(tx, { ...scope, behaviour }, { now: clock.now(), random }),
  );
  const left = [...draws];
  const deps = { store, clock, random: { ...random, next: () => left.shift() ?? 0 } };
  const post = (token: string, chunks: readonly Uint8Array[] = []) =>
    answerAsReceiver({ token, body: streamOf(chunks) }, deps);
  return { row, clock, post };
}

async function* streamOf(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

describe('built-in receivers', () => {
  it.each([
    ['healthy', [204, 204, 204]],
    ['flaky', [503, 204, 503]],
    ['down', [503, 503, 503]],
    ['reject', [400, 400, 400]],
  ] as const)('R-ATT-16 %s answers %j', async (behaviour, expected) => {
    const { row, post } = await withReceiver(behaviour, [0.1, 0.5, 0.2]);
    const answers = [await post(row.token), await post(row.token), await post(row.token)];
    expect(answers).toEqual(expected);
  });

  it('R-ATT-16 a slow one answers after 1.5 s of the clock, not before', async () => {
    const { row, clock, post } = await withReceiver('slow');
    let answer: number | null = null;
    void post(row.token).then((status) => {
      answer = status;
    });
    while (clock.pending === 0) await clock.settle();
    await clock.advance(1_499);
    expect(answer).toBeNull();
    await clock.advance(1);
    expect(answer).toBe(200);
  });

  it('R-ATT-16 an unknown token, and what cannot be one, is 404', async () => {
    const { row, post } = await withReceiver('healthy');
    expect(await post(row.token.replace(/^./, (first) => (first === 'a' ? 'b' : 'a')))).toBe(404);
    expect(await post('')).toBe(404);
    expect(await post('../../etc/passwd')).toBe(404);
    expect(await post(row.token.toUpperCase())).toBe(404);
  });

  it('R-ATT-16 1 MiB is taken and dropped, one byte more is 413', async () => {
    const { row, post } = await withReceiver('healthy');
    const half = new Uint8Array(524_288);
    expect(await post(row.token, [half, half])).toBe(204);
    expect(await post(row.token, [half, half, new Uint8Array(1)])).toBe(413);
  });

  it('R-ATT-16 a token is 160 random bits and stands in the path', async () => {
    const { row } = await withReceiver('healthy');
    expect(row.token).toMatch(/^[0-9a-f]{40}$/);
    expect(receiverPath(row.token)).toBe(`/r/${row.token}`);
  });
});
