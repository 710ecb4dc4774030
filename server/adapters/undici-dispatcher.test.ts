import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { NetworkErrorClass } from '@/server/core/model';
import type { DispatchEnd, DispatchRequest } from '@/server/ports/dispatcher';
import { loopbackDispatcher, requestTo } from '@/server/testing/loopback-dispatcher';
import { startZoo, type Zoo, type ZooOptions } from '@/server/testing/receiver-zoo';
import { answer, type ZooBehaviour, type ZooScript, zooBehaviours } from '@/server/testing/zoo-behaviours';
import type { UndiciDispatcher } from './undici-dispatcher';

let dispatcher: UndiciDispatcher;
const zoos: Zoo[] = [];

beforeAll(() => {
  dispatcher = loopbackDispatcher();
});
afterEach(async () => {
  await Promise.all(zoos.splice(0).map((zoo) => zoo.close()));
});
afterAll(async () => {
  await dispatcher.close();
  expect(dispatcher.stats()).toEqual({ origins: 0, connections: 0, underWay: 0 });
});

async function zooOf(behaviour: ZooBehaviour | ZooScript, options?: ZooOptions): Promise<Zoo> {
  const zoo = await startZoo(behaviour, options);
  zoos.push(zoo);
  return zoo;
}

/** Sends one request and sees it through its drain. */
async function post(zoo: Zoo, changes: Partial<DispatchRequest> = {}): Promise<DispatchEnd> {
  const sent = dispatcher.send(requestTo(zoo.url, changes));
  const end = await sent.end;
  await sent.drained;
  return end;
}

const gist = (end: DispatchEnd): number | NetworkErrorClass =>
  end.kind === 'answered' ? end.statusCode : end.errorClass;

/** Long enough to be told from at once, short enough to wait for. */
const SHORT_MS = 300;

describe('receivers that answer at once', () => {
  const table: [string, ZooBehaviour, number | NetworkErrorClass][] = [
    ['R-ATT-3', 'ok-200', 200],
    ['R-ATT-3', 'ok-201', 201],
    ['R-ATT-3', 'ok-204', 204],
    ['R-ATT-3', 'ok-204-stray-body', 204],
    ['R-ATT-3', 'ok-no-reason', 200],
    ['R-ATT-3', 'ok-299', 299],
    ['R-ATT-3', 'ok-connection-close', 200],
    ['R-ATT-3', 'ok-http-1.0-close', 200],
    ['R-ATT-3', 'ok-http-1.0-keep-alive', 200],
    ['R-ATT-3', 'ok-chunked-trailers', 200],
    ['R-ATT-5', 'ok-gzip', 200],
    ['R-ATT-3', 'ok-proto-header', 200],
    ['R-ATT-3', 'ok-header-40k', 200],
    ['R-ATT-3', 'ok-dribbled', 200],
    ['R-ATT-3', 'interim-100', 200],
    ['R-ATT-3', 'interim-100-no-reason', 200],
    ['R-ATT-3', 'interim-100-with-headers', 200],
    ['R-ATT-3', 'interim-100-thrice', 200],
    ['R-ATT-18', 'interim-100-http-1.0', 'protocol'],
    ['R-ATT-3', 'interim-100-dribbled', 200],
    ['R-ATT-3', 'interim-100-later', 200],
    ['R-ATT-3', 'interim-102', 200],
    ['R-ATT-3', 'interim-103', 200],
    ['R-ATT-3', 'interim-mixed', 200],
    ['R-ATT-3 R-ATT-18', 'interim-102-flood', 'protocol'],
    ['R-ATT-18', 'interim-then-fin', 'closed'],
    ['R-ATT-18', 'switch-101', 'protocol'],
    ['R-ATT-18', 'switch-101-plain', 'protocol'],
    ['R-ATT-18', 'status-999', 'protocol'],
    ['R-ATT-18', 'status-600', 'protocol'],
    ['R-ATT-18', 'status-099', 'protocol'],
    ['R-ATT-18', 'status-1000', 'protocol'],
    ['R-ATT-4', 'redirect-301', 301],
    ['R-ATT-4', 'redirect-302', 302],
    ['R-ATT-4', 'redirect-303', 303],
    ['R-ATT-4', 'redirect-307', 307],
    ['R-ATT-4', 'redirect-308', 308],
    ['R-ATT-3', 'client-400', 400],
    ['R-ATT-3', 'client-403', 403],
    ['R-ATT-3', 'client-410', 410],
    ['R-ATT-3', 'client-429', 429],
    ['R-ATT-3', 'client-413-early', 413],
    ['R-ATT-3', 'server-500', 500],
    ['R-ATT-3', 'server-503', 503],
    ['R-ATT-3', 'fin-in-body', 200],
    ['R-ATT-3', 'rst-in-body', 200],
    ['R-ATT-3', 'missing-last-chunk', 200],
    ['R-ATT-3', 'bad-chunk', 200],
    ['R-ATT-18', 'fin-at-once', 'closed'],
    ['R-ATT-18', 'fin-before-headers', 'closed'],
    ['R-ATT-18', 'fin-in-headers', 'closed'],
    ['R-ATT-18', 'rst-before-headers', 'reset'],
    ['R-ATT-18', 'length-and-chunked', 'protocol'],
    ['R-ATT-18', 'two-lengths', 'protocol'],
    ['R-ATT-18', 'negative-length', 'protocol'],
    ['R-ATT-18', 'garbage', 'protocol'],
    ['R-ATT-18', 'http-2-frame', 'protocol'],
    ['R-ATT-18', 'bare-lf', 'protocol'],
    ['R-ATT-18', 'nul-in-header', 'protocol'],
    ['R-ATT-18', 'folded-header', 'protocol'],
    ['R-ATT-18', 'header-70k', 'protocol'],
    ['R-ATT-18', 'headers-10000', 'protocol'],
  ];
  for (const [rule, behaviour, expected] of table) {
    it(`${rule} ${behaviour} comes to ${expected}`, async () => {
      const zoo = await zooOf(behaviour);
      const end = await post(zoo);
      expect(gist(end)).toBe(expected);
      expect(end.retriedStale).toBe(false);
      expect(end.address).toBe('127.0.0.1');
      expect(Number.isInteger(end.durationMs)).toBe(true);
      expect(zoo.connections()).toBe(1);
      if (end.kind === 'failed') {
        expect(end.message).toMatch(/^[A-Z].+\.$/);
        expect(end.message).not.toMatch(/127\.0\.0\.1|UND_|HPE_|ECONN|ERR_|socket|assert/i);
      }
    });
  }

  it('R-ATT-18 rst-at-once is a reset or closed connection, never ours', async () => {
    const end = await post(await zooOf('rst-at-once'));
    expect(['reset', 'closed']).toContain(gist(end));
  });
});

describe('the whole zoo', () => {
  it('R-ATT-2 R-ATT-18 whatever the receiver does, each attempt ends in its time and leaves nothing behind', async () => {
    const own = loopbackDispatcher({}, { idleMs: 50 });
    const all = await Promise.all(zooBehaviours.map((behaviour) => zooOf(behaviour)));
    const ends = await Promise.all(
      all.flatMap((zoo) =>
        [0, 1, 2].map(async () => {
          const sent = own.send(requestTo(zoo.url, { timeoutMs: 1_000, keepBody: true }));
          const end = await sent.end;
          await sent.drained;
          return end;
        }),
      ),
    );
    for (const end of ends) {
      expect(end.durationMs).toBeLessThan(2_000);
      if (end.kind === 'failed') expect(end.errorClass).not.toBe('internal');
    }
    await expect.poll(() => own.stats()).toEqual({ origins: 0, connections: 0, underWay: 0 });
    await own.close();
  });
});

describe('receivers that never end', () => {
  const table: [string, ZooBehaviour][] = [
    ['R-ATT-2', 'hang'],
    ['R-ATT-2', 'never-reads'],
    ['R-ATT-3', 'slow-headers'],
    ['R-ATT-3', 'slow-status-line'],
    ['R-ATT-3', 'interim-102-endless'],
    ['R-ATT-3', 'interim-100-endless'],
    ['R-ATT-3', 'interim-then-silence'],
  ];
  for (const [rule, behaviour] of table) {
    it(`${rule} O22 ${behaviour} ends as timeout when the total is over, its socket closed`, async () => {
      const zoo = await zooOf(behaviour);
      const body = behaviour === 'never-reads' ? Buffer.alloc(16 * 1024 * 1024) : Buffer.from('{}');
      const end = await post(zoo, { timeoutMs: SHORT_MS, body });
      expect(end).toMatchObject({
        kind: 'failed',
        errorClass: 'timeout',
        message: 'The receiver did not answer within 0.3 s.',
      });
      expect(end.durationMs).toBeGreaterThanOrEqual(SHORT_MS - 1);
      expect(end.durationMs).toBeLessThan(SHORT_MS + 600);
      // One that reads nothing does not see the close either.
      if (behaviour === 'never-reads') expect(dispatcher.stats().underWay).toBe(0);
      else await zoo.allClosed();
    });
  }
});

describe('the body of the answer', () => {
  const bodies: [ZooBehaviour, number, number][] = [
    ['stalled-body', 990, 1_800],
    ['dripping-body', 990, 1_800],
    ['endless-body', 0, 900],
  ];
  for (const [behaviour, fromMs, toMs] of bodies) {
    it(`R-ATT-2 R-ATT-3 O22 ${behaviour}: delivered at the headers, drained beside, its socket closed`, async () => {
      const zoo = await zooOf(behaviour);
      for (const timeoutMs of [400, 10_000]) {
        const sent = dispatcher.send(requestTo(zoo.url, { timeoutMs }));
        const order: string[] = [];
        void sent.end.then(() => order.push('end'));
        void sent.drained.then(() => order.push('drained'));
        expect(gist(await sent.end)).toBe(200);
        const answeredAt = performance.now();
        expect(order).toEqual(['end']);
        await sent.drained;
        const drainedMs = performance.now() - answeredAt;
        expect(drainedMs).toBeGreaterThanOrEqual(fromMs);
        expect(drainedMs).toBeLessThan(toMs);
        await zoo.allClosed();
      }
    });
  }

  it('R-ATT-2 a body of 64 KiB is drained and its connection used again, one byte more is not', async () => {
    const exact = await zooOf('ok-body-64k');
    await post(exact);
    await post(exact);
    expect(exact.connections()).toBe(1);
    const more = await zooOf({
      onRequest: (peer) => void peer.socket.write(answer(200, [], 'a'.repeat(65_537))),
    });
    await post(more);
    await post(more);
    expect(more.connections()).toBe(2);
  });

  it('R-ATT-5 is discarded, or kept to its first 4 KiB where asked for', async () => {
    const zoo = await zooOf('ok-body-5k');
    const plain = dispatcher.send(requestTo(zoo.url));
    await plain.drained;
    expect(plain.body()).toBeNull();
    const kept = dispatcher.send(requestTo(zoo.url, { keepBody: true }));
    await kept.drained;
    expect(Buffer.from(kept.body() ?? []).toString()).toBe('abcde'.repeat(1_000).slice(0, 4_096));
  });

  it('R-ATT-5 keeps what came of a body that breaks off, and nothing of an empty one', async () => {
    const broken = dispatcher.send(requestTo((await zooOf('fin-in-body')).url, { keepBody: true }));
    await broken.drained;
    expect(Buffer.from(broken.body() ?? []).toString()).toBe('some');
    const empty = dispatcher.send(requestTo((await zooOf('ok-204')).url, { keepBody: true }));
    await empty.drained;
    expect(empty.body()).toBeNull();
  });
});

describe('the headers of the answer', () => {
  it('R-ATT-4 O25 shows where a redirect pointed, as text, and never follows it', async () => {
    const zoo = await zooOf('redirect-307');
    const end = await post(zoo);
    expect(end).toMatchObject({ statusCode: 307, location: 'http://169.254.169.254/latest/meta-data' });
    expect(zoo.requests).toHaveLength(1);
  });

  it('R-ATT-4 O25 does not follow a redirect to the receiver itself', async () => {
    const zoo: Zoo = await zooOf({
      onRequest: (peer) => void peer.socket.write(answer(308, [`location: ${zoo.url}`])),
    });
    expect(await post(zoo)).toMatchObject({ statusCode: 308, location: zoo.url });
    expect(zoo.requests).toHaveLength(1);
  });

  it('R-ATT-4 cuts a long location at 2,048 characters and bears its absence', async () => {
    const far = await post(await zooOf('redirect-far'));
    expect(far.kind === 'answered' && far.location?.length).toBe(2_048);
    expect(await post(await zooOf('redirect-nowhere'))).toMatchObject({ statusCode: 302, location: null });
    expect(await post(await zooOf('ok-201'))).toMatchObject({ statusCode: 201, location: null });
  });

  it('R-ATT-3 O11 hands every Retry-After over, unparsed', async () => {
    expect(await post(await zooOf('client-429'))).toMatchObject({ retryAfter: ['120', '3'] });
    expect(await post(await zooOf('server-503'))).toMatchObject({
      retryAfter: ['Wed, 21 Oct 2015 07:28:00 GMT'],
    });
    expect(await post(await zooOf('ok-200'))).toMatchObject({ retryAfter: [] });
    const many = Array.from({ length: 50 }, () => `retry-after: ${'9'.repeat(500)}`);
    const flood = await post(await zooOf({ onRequest: (peer) => void peer.socket.write(answer(429, many)) }));
    expect(flood.kind === 'answered' && flood.retryAfter.length).toBe(8);
    expect(flood.kind === 'answered' && flood.retryAfter[0]).toBe('9'.repeat(128));
  });
});

describe('what is sent', () => {
  it('R-ATT-1 content-length always, never chunked, the headers as given, the body byte for byte', async () => {
    const zoo = await zooOf('ok-200');
    const bodies = ['{"2":"b","1":1.0,"n":9007199254740993}\n', '{"é":"😀","a":1,"a":2}', ''].map((text) =>
      Buffer.from(text),
    );
    for (const body of [...bodies, Buffer.from([0, 255, 13, 10, 13, 10])]) {
      await post(zoo, { body });
      const request = zoo.requests.at(-1);
      expect(request?.body.equals(body)).toBe(true);
      expect(request?.header('content-length')).toBe(String(body.length));
      expect(request?.header('transfer-encoding')).toBeUndefined();
      expect(request?.header('webhook-id')).toBe('evt_1');
      expect(request?.header('host')).toBe(`127.0.0.1:${zoo.port}`);
      expect(request?.method).toBe('POST');
    }
    const view = new Uint8Array(Buffer.from('xx{"a":1}yy').buffer, 0).subarray(2, 9);
    await post(zoo, { body: view });
    expect(zoo.requests.at(-1)?.body.equals(Buffer.from(view))).toBe(true);
  });

  it('R-ATT-8 path and query byte for byte, no fragment, no trailing dot in Host', async () => {
    const zoo = await zooOf('ok-200', { name: 'receiver.example.com.' });
    const end = await dispatcher.send(requestTo(`${zoo.url}/%0d%0aX:1?q=a%2Fb&&x=%41#frag`)).end;
    expect(gist(end)).toBe(200);
    expect(zoo.requests[0]?.path).toBe('/in/%0d%0aX:1?q=a%2Fb&&x=%41');
    expect(zoo.requests[0]?.header('host')).toBe(`receiver.example.com:${zoo.port}`);
  });

  it('R-ATT-18 a header that cannot be sent is an internal error of ours, and nothing is thrown', async () => {
    const zoo = await zooOf('ok-200');
    const end = await post(zoo, { headers: [['x', 'a\r\nb: c']] });
    expect(gist(end)).toBe('internal');
    expect(zoo.requests).toHaveLength(0);
  });
});

describe('connections', () => {
  it('R-ATT-12 notes the times of a new connection, and none of them on a reused one', async () => {
    const zoo = await zooOf('ok-200', { name: 'receiver.example.com' });
    const first = await post(zoo);
    expect(Object.keys(first.timing).sort()).toEqual(['connectMs', 'dnsMs', 'firstByteMs']);
    const second = await post(zoo);
    expect(Object.keys(second.timing)).toEqual(['firstByteMs']);
    expect(second.address).toBe('127.0.0.1');
    expect(zoo.connections()).toBe(1);
  });

  it('R-ATT-2 nothing queues: every request in flight has a connection, and no more than the cap lie idle', async () => {
    const zoo = await zooOf({
      onRequest: () => {
        if (zoo.requests.length === 20) for (const answerNow of held.splice(0)) answerNow();
      },
      onConnect: (peer) => void held.push(() => peer.socket.write(answer(200))),
    });
    const held: (() => void)[] = [];
    const ends = await Promise.all(Array.from({ length: 20 }, () => post(zoo, { connections: 4 })));
    expect(ends.map(gist)).toEqual(Array.from({ length: 20 }, () => 200));
    expect(zoo.connections()).toBe(20);
    await expect.poll(() => zoo.open()).toBe(4);
  });

  it('R-ATT-2 connections that lie idle are closed', async () => {
    const own = loopbackDispatcher({}, { idleMs: 40 });
    const zoo = await zooOf('ok-200');
    await own.send(requestTo(zoo.url)).drained;
    expect(own.stats()).toEqual({ origins: 1, connections: 1, underWay: 0 });
    await zoo.allClosed();
    await expect.poll(() => own.stats().origins).toBe(0);
    await own.close();
  });

  it('R-ATT-3 no answer reaches another request', async () => {
    const twice = await zooOf('second-answer');
    for (let turn = 0; turn < 10; turn++) expect(gist(await post(twice))).toBe(200);
    // One that comes while nothing is asked ends the connection before the next request.
    const later = await zooOf('second-answer-later');
    for (let turn = 0; turn < 5; turn++) {
      expect(gist(await post(later))).toBe(200);
      await later.allClosed();
    }
    expect(later.connections()).toBe(5);
    const zoo = await zooOf('echo-body');
    const texts = Array.from({ length: 40 }, (_, index) => `body ${index}`);
    const sent = texts.map((text) =>
      dispatcher.send(requestTo(zoo.url, { body: Buffer.from(text), keepBody: true })),
    );
    await Promise.all(sent.map((each) => each.drained));
    expect(sent.map((each) => Buffer.from(each.body() ?? []).toString())).toEqual(texts);
  });

  it('R-ATT-18 an answer before the request ends the attempt, whatever it comes to, in few connections', async () => {
    const zoo = await zooOf('answer-before-request');
    for (let turn = 0; turn < 5; turn++) {
      expect([200, 'closed']).toContain(gist(await post(zoo, { connections: 0 })));
    }
    expect(zoo.connections()).toBeLessThanOrEqual(10);
  });
});

describe('connections gone stale', () => {
  for (const behaviour of ['rst-on-second-request', 'fin-on-second-request'] as const) {
    it(`R-ATT-15 O21 ${behaviour}: tried once more at once on a fresh connection, and noted`, async () => {
      const zoo = await zooOf(behaviour);
      const ends: DispatchEnd[] = [];
      for (let turn = 0; turn < 20; turn++) ends.push(await post(zoo));
      expect(ends.map(gist)).toEqual(Array.from({ length: 20 }, () => 200));
      expect(ends.map((end) => end.retriedStale)).toEqual([false, ...Array.from({ length: 19 }, () => true)]);
      expect(zoo.connections()).toBe(20);
    });
  }

  it('R-ATT-15 O21 a receiver that closes what lies idle shows no failure, whenever it closes', async () => {
    const zoo = await zooOf({
      onRequest: (peer) => {
        peer.socket.write(answer(200));
        peer.after(4, () => peer.socket.end());
      },
    });
    for (let turn = 0; turn < 150; turn++) {
      expect(gist(await post(zoo))).toBe(200);
      await new Promise((resolve) => setTimeout(resolve, 2 + (turn % 4)));
    }
  });

  it('R-ATT-15 is tried no third time', async () => {
    const zoo = await zooOf('rst-on-every-second-connection');
    expect(gist(await post(zoo))).toBe(200);
    expect(await post(zoo)).toMatchObject({ errorClass: 'reset', retriedStale: true });
    expect(zoo.requests).toHaveLength(3);
  });

  it('R-ATT-15 is not tried again once a byte of the answer came', async () => {
    const zoo = await zooOf('rst-in-second-answer');
    expect(gist(await post(zoo))).toBe(200);
    expect(await post(zoo)).toMatchObject({ errorClass: 'reset', retriedStale: false });
    expect(zoo.requests).toHaveLength(2);
  });

  it('R-ATT-15 is not tried again on a connection of its own', async () => {
    const zoo = await zooOf('fin-before-headers');
    expect(await post(zoo)).toMatchObject({ errorClass: 'closed', retriedStale: false });
    expect(zoo.requests).toHaveLength(1);
  });

  it('R-ATT-15 the second try stays within the one total time', async () => {
    const zoo = await zooOf({
      onRequest: (peer) => {
        if (peer.connection > 1) return;
        if (peer.nth === 1) peer.socket.write(answer(200));
        else peer.after(150, () => peer.socket.resetAndDestroy());
      },
    });
    await post(zoo);
    const end = await post(zoo, { timeoutMs: SHORT_MS });
    expect(end).toMatchObject({ errorClass: 'timeout', retriedStale: true });
    expect(end.durationMs).toBeLessThan(SHORT_MS + 600);
  });
});

describe('being cut off', () => {
  it('R-ATT-2 an abort ends an attempt that hangs and closes its socket', async () => {
    const zoo = await zooOf('hang');
    const sent = dispatcher.send(requestTo(zoo.url));
    await expect.poll(() => zoo.requests.length).toBe(1);
    sent.abort();
    sent.abort();
    expect(gist(await sent.end)).toBe('internal');
    await sent.drained;
    await zoo.allClosed();
  });

  it('R-ATT-2 an abort at once, before anything is connected, sends nothing', async () => {
    const zoo = await zooOf('ok-200', { name: 'receiver.example.com' });
    const sent = dispatcher.send(requestTo(zoo.url));
    sent.abort();
    expect(gist(await sent.end)).toBe('internal');
    await sent.drained;
    expect(gist(await post(zoo))).toBe(200);
    expect(zoo.requests).toHaveLength(1);
  });

  it('R-ATT-2 an abort on a reused connection before it is written to sends nothing', async () => {
    const zoo = await zooOf('ok-200');
    await post(zoo);
    const sent = dispatcher.send(requestTo(zoo.url));
    sent.abort();
    expect(gist(await sent.end)).toBe('internal');
    expect(gist(await post(zoo))).toBe(200);
    expect(zoo.requests).toHaveLength(2);
  });

  it('R-ATT-2 an abort in the drain ends the drain and leaves the end as it is', async () => {
    const zoo = await zooOf('stalled-body');
    const sent = dispatcher.send(requestTo(zoo.url));
    const end = await sent.end;
    sent.abort();
    await sent.drained;
    expect(gist(end)).toBe(200);
    await zoo.allClosed();
  });

  it('R-DEL-11 closing cuts off what is under way, in every phase, and later sends fail', async () => {
    const own = loopbackDispatcher({
      resolve: (name) => (name.startsWith('never') ? new Promise(() => {}) : Promise.resolve(['127.0.0.1'])),
    });
    const hang = await zooOf('hang');
    const drain = await zooOf('stalled-body');
    const sent = [
      own.send(requestTo(hang.url)),
      own.send(requestTo(drain.url)),
      own.send(requestTo('http://never.example.com/')),
      own.send(requestTo(`https://127.0.0.1:${hang.port}/`)),
    ];
    await sent[1]?.end;
    await expect.poll(() => hang.connections()).toBe(2);
    await own.close();
    const ends = await Promise.all(sent.map((each) => each.end));
    expect(ends.map(gist)).toEqual(['internal', 200, 'internal', 'internal']);
    await Promise.all(sent.map((each) => each.drained));
    expect(own.stats()).toEqual({ origins: 0, connections: 0, underWay: 0 });
    expect(gist(await own.send(requestTo(hang.url)).end)).toBe('internal');
    await Promise.all([hang.allClosed(), drain.allClosed()]);
  });
});
