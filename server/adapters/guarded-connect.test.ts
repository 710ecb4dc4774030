import { afterEach, describe, expect, it, vi } from 'vitest';
import type { DispatchEnd, DispatchRequest } from '@/server/ports/dispatcher';
import { loopbackDispatcher, requestTo } from '@/server/testing/loopback-dispatcher';
import {
  refusingPort,
  startZoo,
  type Zoo,
  type ZooCertificate,
  type ZooOptions,
} from '@/server/testing/receiver-zoo';
import type { ZooBehaviour } from '@/server/testing/zoo-behaviours';
import type { GuardOptions } from './target-guard';
import type { UndiciDispatcher, UndiciDispatcherOptions } from './undici-dispatcher';

const NAME = 'receiver.example.com';
const zoos: Zoo[] = [];
const dispatchers: UndiciDispatcher[] = [];

afterEach(async () => {
  await Promise.all(dispatchers.splice(0).map((dispatcher) => dispatcher.close()));
  await Promise.all(zoos.splice(0).map((zoo) => zoo.close()));
  vi.unstubAllEnvs();
});

async function zooOf(behaviour: ZooBehaviour, options?: ZooOptions): Promise<Zoo> {
  const zoo = await startZoo(behaviour, options);
  zoos.push(zoo);
  return zoo;
}

function sender(guard?: Partial<GuardOptions>, options?: Partial<UndiciDispatcherOptions>) {
  const dispatcher = loopbackDispatcher(guard, options);
  dispatchers.push(dispatcher);
  return async (url: string, changes?: Partial<DispatchRequest>): Promise<DispatchEnd> => {
    const sent = dispatcher.send(requestTo(url, changes));
    const end = await sent.end;
    await sent.drained;
    return end;
  };
}

describe('TLS', () => {
  it('R-ATT-8 a receiver whose certificate holds is delivered to, in live, by name and by address', async () => {
    const post = sender();
    const zoo = await zooOf('ok-200', { tls: 'good', name: NAME });
    const end = await post(zoo.url, { environment: 'live' });
    expect(end).toMatchObject({ kind: 'answered', statusCode: 200, address: '127.0.0.1' });
    expect(Object.keys(end.timing).sort()).toEqual(['connectMs', 'dnsMs', 'firstByteMs', 'tlsMs']);
    expect(zoo.requests[0]?.header('host')).toBe(`${NAME}:${zoo.port}`);
    expect(await post(`https://127.0.0.1:${zoo.port}/`)).toMatchObject({ statusCode: 200 });
    const again = await post(zoo.url, { environment: 'live' });
    expect(Object.keys(again.timing)).toEqual(['firstByteMs']);
    expect(zoo.connections()).toBe(2);
  });

  it('R-ATT-3 an unasked 100 is passed over under TLS, too', async () => {
    const zoo = await zooOf('interim-100-dribbled', { tls: 'good', name: NAME });
    expect(await sender()(zoo.url)).toMatchObject({ statusCode: 200 });
  });

  const certificates: [ZooCertificate, string][] = [
    ['self-signed', 'The certificate is self-signed.'],
    ['expired', 'The certificate has expired.'],
    ['not-yet-valid', 'The certificate is not yet valid.'],
    ['wrong-name', 'The certificate is for another host name.'],
    ['unknown-issuer', "The certificate's issuer is unknown or its chain is incomplete."],
  ];
  for (const [certificate, message] of certificates) {
    it(`R-ATT-8 R-ATT-18 ${certificate}: tls, with the plain reason, in both environments`, async () => {
      const zoo = await zooOf('ok-200', { tls: certificate, name: NAME });
      const post = sender();
      for (const environment of ['test', 'live'] as const) {
        expect(await post(zoo.url, { environment })).toMatchObject({ errorClass: 'tls', message });
      }
      expect(zoo.requests).toHaveLength(0);
      await zoo.allClosed();
    });
  }

  it('R-ATT-8 an address that the certificate does not carry is the wrong name', async () => {
    const zoo = await zooOf('ok-200', { tls: 'wrong-name' });
    expect(await sender()(zoo.url)).toMatchObject({
      errorClass: 'tls',
      message: 'The certificate is for another host name.',
    });
  });

  it('R-ATT-8 the environment of the process cannot switch the verification off', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    const zoo = await zooOf('ok-200', { tls: 'self-signed', name: NAME });
    expect(await sender()(zoo.url)).toMatchObject({ errorClass: 'tls' });
  });

  it('R-ATT-18 a receiver that knows only old versions: tls', async () => {
    const tlsOptions = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
    const zoo = await zooOf('ok-200', { tls: 'good', name: NAME, tlsOptions });
    expect(await sender()(zoo.url)).toMatchObject({
      errorClass: 'tls',
      message: 'The receiver speaks only TLS versions that are too old. TLS 1.2 or later is needed.',
    });
  });

  it('R-ATT-18 plain HTTP on the TLS port: tls', async () => {
    const zoo = await zooOf('garbage', { scheme: 'https' });
    const talks = await startZoo({
      onConnect: (peer) => void peer.socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'),
    });
    zoos.push(talks);
    const post = sender();
    expect(await post(talks.url.replace('http:', 'https:'))).toMatchObject({
      errorClass: 'tls',
      message: 'The receiver does not speak TLS on this port.',
    });
    expect(await post(zoo.url, { tlsTimeoutMs: 200 })).toMatchObject({ kind: 'failed' });
  });

  it('R-ATT-18 a handshake that is broken off: tls', async () => {
    const post = sender();
    for (const behaviour of ['fin-at-once', 'rst-at-once'] as const) {
      const zoo = await zooOf(behaviour, { scheme: 'https' });
      const end = await post(zoo.url);
      expect(['tls', 'reset']).toContain(end.kind === 'failed' && end.errorClass);
      if (behaviour === 'fin-at-once') {
        expect(end).toMatchObject({
          errorClass: 'tls',
          message: 'The receiver broke off the TLS handshake.',
        });
      }
    }
  });

  it('R-ATT-18 a client certificate that is asked for: tls or closed, and the message names the cause', async () => {
    const post = sender();
    for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
      const tlsOptions = { requestCert: true, rejectUnauthorized: true, maxVersion };
      const zoo = await zooOf('ok-200', { tls: 'good', name: NAME, tlsOptions });
      const end = await post(zoo.url);
      expect(['tls', 'closed', 'reset']).toContain(end.kind === 'failed' && end.errorClass);
      if (end.kind === 'failed' && end.errorClass === 'closed')
        expect(end.message).toContain('client certificate');
    }
  });

  it('R-ATT-2 R-ATT-18 silence in the handshake: connect_timeout by the TLS limit or the total', async () => {
    const zoo = await zooOf('hang', { scheme: 'https' });
    const post = sender();
    expect(await post(zoo.url, { tlsTimeoutMs: 150 })).toMatchObject({
      errorClass: 'connect_timeout',
      message: 'The receiver did not finish the TLS handshake within 0.2 s.',
      address: '127.0.0.1',
    });
    expect(await post(zoo.url, { timeoutMs: 300 })).toMatchObject({
      errorClass: 'connect_timeout',
      message: 'The receiver did not finish the TLS handshake within 0.3 s.',
    });
    await zoo.allClosed();
  });

  it('R-ATT-2 TLS has its own limit: a slow connect takes nothing from it', async () => {
    const zoo = await zooOf('ok-200', { tls: 'good', name: NAME });
    const resolve = () => new Promise<string[]>((done) => setTimeout(() => done(['127.0.0.1']), 120));
    const end = await sender({ resolve })(zoo.url, { connectTimeoutMs: 2_000, tlsTimeoutMs: 2_000 });
    expect(end).toMatchObject({ statusCode: 200 });
    expect(end.timing.dnsMs).toBeGreaterThanOrEqual(119);
  });

  it('R-ATT-15 a stale TLS connection is tried once more on a fresh one', async () => {
    const zoo = await zooOf('fin-on-second-request', { tls: 'good', name: NAME });
    const post = sender();
    expect(await post(zoo.url)).toMatchObject({ statusCode: 200, retriedStale: false });
    expect(await post(zoo.url)).toMatchObject({ statusCode: 200, retriedStale: true });
  });

  it('R-ATT-18 an answer before the request, under TLS, ends the attempt in few connections', async () => {
    const zoo = await zooOf('answer-before-request', { tls: 'good', name: NAME });
    const end = await sender()(zoo.url, { timeoutMs: 2_000 });
    expect(end.kind === 'answered' || end.errorClass === 'closed').toBe(true);
    expect(zoo.connections()).toBeLessThanOrEqual(3);
  });
});

describe('addresses', () => {
  it('R-ATT-18 a port on which nothing listens: connect_refused', async () => {
    const end = await sender()(`http://127.0.0.1:${await refusingPort()}/`);
    expect(end).toMatchObject({
      errorClass: 'connect_refused',
      message: 'The receiver refused the connection: nothing listens on that port.',
      address: '127.0.0.1',
    });
  });

  it('R-ATT-7 goes on to the next address of the judged answer when one refuses', async () => {
    const zoo = await zooOf('ok-200', { name: NAME });
    const post = sender({ resolve: async () => ['127.0.0.2', '127.0.0.3', '127.0.0.1'] });
    expect(await post(zoo.url)).toMatchObject({ statusCode: 200, address: '127.0.0.1' });
    expect(await sender({ resolve: async () => ['127.0.0.2', '127.0.0.3'] })(zoo.url)).toMatchObject({
      errorClass: 'connect_refused',
      address: '127.0.0.3',
    });
  });

  it('R-ATT-7 O26 no canary on loopback hears of a literal or a name, in any spelling', async () => {
    const canary = await zooOf('ok-200', { host: '0.0.0.0' });
    const { port } = canary;
    const post = sender({ allowNetworks: [], resolve: async () => ['93.184.215.14', '127.0.0.1'] });
    const hosts = [
      '127.0.0.1',
      '127.1',
      '2130706433',
      '0x7f000001',
      '017700000001',
      '0',
      '0.0.0.0',
      '127.0.0.1.',
    ];
    const more = [
      '[::1]',
      '[::ffff:127.0.0.1]',
      '[::127.0.0.1]',
      '[64:ff9b::7f00:1]',
      'localhost',
      'LOCALHOST.',
      '①②⑦.0.0.1',
    ];
    for (const host of [...hosts, ...more, NAME, 'a.localhost', 'x@127.0.0.1']) {
      for (const scheme of ['http', 'https']) {
        const end = await post(`${scheme}://${host}:${port}/in`);
        expect(end).toMatchObject({
          errorClass: 'refused_address',
          message: 'refused: not a public address',
        });
      }
    }
    expect(canary.connections()).toBe(0);
  });

  it('R-ATT-7 proxies named in the environment change nothing', async () => {
    const canary = await zooOf('ok-200');
    for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy']) {
      vi.stubEnv(name, canary.url);
    }
    vi.stubEnv('NODE_USE_ENV_PROXY', '1');
    const zoo = await zooOf('ok-200');
    const post = sender();
    expect(await post(zoo.url)).toMatchObject({ statusCode: 200 });
    expect(await post(`https://127.0.0.1:${await refusingPort()}/`)).toMatchObject({
      errorClass: 'connect_refused',
    });
    expect(canary.connections()).toBe(0);
  });

  it('R-ATT-7 the check is made for each connection: a kept one is used, a new one is judged', async () => {
    const answers = [['127.0.0.1'], ['10.0.0.1']];
    const resolve = vi.fn(async () => answers.shift() ?? []);
    const zoo = await zooOf('ok-200', { name: NAME });
    const post = sender({ resolve });
    expect(await post(zoo.url)).toMatchObject({ statusCode: 200 });
    expect(await post(zoo.url, { connections: 0 })).toMatchObject({ statusCode: 200 });
    expect(resolve).toHaveBeenCalledTimes(1);
    expect(await post(zoo.url)).toMatchObject({ errorClass: 'refused_address' });
    expect(resolve).toHaveBeenCalledTimes(2);
  });

  it('R-ATT-7 works with the resolver of the system', async () => {
    const zoo = await zooOf('ok-200', { name: 'localhost' });
    expect(
      await sender({ resolve: undefined, publicUrl: 'http://hooks.platform.example' })(zoo.url),
    ).toMatchObject({
      statusCode: 200,
    });
  });
});

describe('this installation', () => {
  const receiverTokenAlive = (token: string) => token === 'tok_1';

  it('R-ATT-16 the built-in receiver is reached over our own listener, and nothing else of it is', async () => {
    const own = await zooOf('ok-200');
    const post = sender({
      allowNetworks: [],
      publicUrl: `http://localhost:${own.port}`,
      ownListeners: [{ host: '127.0.0.1', port: own.port }],
      receiverTokenAlive,
      resolve: () => Promise.reject(new Error('no DNS for our own receiver')),
    });
    expect(await post(`http://localhost:${own.port}/r/tok_1`)).toMatchObject({ statusCode: 200 });
    expect(own.requests[0]?.path).toBe('/r/tok_1');
    expect(own.requests[0]?.header('host')).toBe(`localhost:${own.port}`);
    for (const url of ['/v1/events', '/r/tok_2', '/r/tok_1/..', '/']) {
      const end = await post(`http://localhost:${own.port}${url}`);
      expect(end).toMatchObject({
        errorClass: 'refused_address',
        message: 'refused: the URL points at this installation itself',
      });
    }
    expect(await post(`http://127.0.0.1:${own.port}/r/tok_1`)).toMatchObject({
      errorClass: 'refused_address',
    });
    expect(own.requests).toHaveLength(1);
  });

  it('R-ATT-16 under an https PUBLIC_URL the receiver is reached behind what ends TLS, Host as the public one', async () => {
    const own = await zooOf('ok-200');
    const post = sender({
      allowNetworks: [],
      publicUrl: 'https://hooks.platform.example',
      ownListeners: [{ host: '0.0.0.0', port: own.port }],
      receiverTokenAlive,
    });
    expect(await post('https://hooks.platform.example/r/tok_1', { environment: 'live' })).toMatchObject({
      statusCode: 200,
    });
    expect(own.requests[0]?.header('host')).toBe('hooks.platform.example');
  });
});
