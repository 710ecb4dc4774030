// The corpus at delivery: rows that never saw the form. No socket is real here, so that not even an allowed case
// leaves the machine; what would have been opened is written down.
import { Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { parseCidr } from '@/server/core/address-guard';
import { requestTo } from '@/server/testing/loopback-dispatcher';
import cases from '@/server/testing/ssrf_cases.json';
import { createTargetGuard, type GuardOptions } from './target-guard';
import { createUndiciDispatcher } from './undici-dispatcher';

interface Opened {
  host: string;
  port: number;
  servername: string | undefined;
}

const { opened, behaviour } = vi.hoisted(() => ({
  opened: [] as Opened[],
  behaviour: { hangs: false },
}));

function fakeConnect(options: { host: string; port: number; servername?: string }): Socket {
  opened.push({ host: options.host, port: options.port, servername: options.servername });
  const socket = new Socket();
  if (!behaviour.hangs) {
    const refused = Object.assign(new Error('no'), { code: 'ECONNREFUSED' });
    setImmediate(() => socket.destroy(refused));
  }
  return socket;
}

vi.mock('node:net', async (original) => ({
  ...(await original<typeof import('node:net')>()),
  connect: fakeConnect,
}));
vi.mock('node:tls', async (original) => ({
  ...(await original<typeof import('node:tls')>()),
  connect: fakeConnect,
}));

afterEach(() => {
  opened.length = 0;
  behaviour.hangs = false;
});

const REFUSED = { kind: 'failed', errorClass: 'refused_address', message: 'refused: not a public address' };
const TRIED = { kind: 'failed', errorClass: 'connect_refused' };

function setUp(resolve: GuardOptions['resolve'], options: Partial<GuardOptions> = {}) {
  const guard = createTargetGuard({
    allowNetworks: [],
    ownListeners: [],
    publicUrl: 'https://hooks.platform.example',
    receiverTokenAlive: () => false,
    resolve,
    ...options,
  });
  const dispatcher = createUndiciDispatcher({ guard });
  const send = (url: string, changes = {}) =>
    dispatcher.send(requestTo(url, { environment: 'live', ...changes })).end;
  return { guard, send };
}

describe('the corpus at delivery', () => {
  for (const one of cases.filter((each) => each.stage === 'url')) {
    it(`R-ATT-7 O26 O27 ${one.id} ${JSON.stringify(one.input.slice(0, 80))}: ${one.verdict}, ${one.why}`, async () => {
      const answers = Array.isArray(one.dns) ? one.dns : [];
      for (const environment of ['live', 'test'] as const) {
        const end = await setUp(async () => answers).send(one.input, { environment });
        expect(end).toMatchObject(one.verdict === 'allow' ? TRIED : REFUSED);
        expect(end.address === null).toBe(one.verdict === 'refuse');
      }
      expect(opened.length).toBe(one.verdict === 'allow' ? 2 : 0);
    });
  }

  for (const one of cases.filter((each) => each.stage === 'dns' && Array.isArray(each.dns))) {
    it(`R-ATT-7 ${one.id} ${JSON.stringify(one.dns)}: ${one.verdict}, ${one.why}`, async () => {
      const answers = one.dns as string[];
      const end = await setUp(async () => answers).send(one.input);
      if (answers.length === 0) expect(end).toMatchObject({ errorClass: 'dns' });
      else expect(end).toMatchObject(one.verdict === 'allow' ? TRIED : REFUSED);
      expect(opened.map((each) => each.host)).toEqual(one.verdict === 'allow' ? answers : []);
    });
  }

  for (const one of cases.filter((each) => each.stage === 'address')) {
    it(`R-ATT-7 ${one.id} a name that leads to ${one.input}: ${one.verdict}, ${one.why}`, async () => {
      const end = await setUp(async () => [one.input]).send('https://hooks.example.com/');
      expect(end).toMatchObject(one.verdict === 'allow' ? TRIED : REFUSED);
      expect(opened.map((each) => each.host)).toEqual(one.verdict === 'allow' ? [one.input] : []);
    });
  }
});

describe('answers that change', () => {
  it('R-ATT-7 S256 one look-up for each connection, and the judged answer is the one connected to', async () => {
    const answers = [['93.184.215.14'], ['127.0.0.1']];
    const resolve = vi.fn(async () => answers.shift() ?? []);
    const { send } = setUp(resolve);
    expect(await send('https://rebind.example.com/')).toMatchObject(TRIED);
    expect(resolve).toHaveBeenCalledTimes(1);
    expect(opened.map((each) => each.host)).toEqual(['93.184.215.14']);
    expect(await send('https://rebind.example.com/')).toMatchObject(REFUSED);
    expect(opened).toHaveLength(1);
  });

  it('R-ATT-7 S257 public when saved, private at a later attempt: refused then', async () => {
    const answers = [['93.184.215.14'], ['10.0.0.5']];
    const { guard, send } = setUp(async () => answers.shift() ?? []);
    expect((await guard.judgeForSave('https://rebind.example.com/', 'live')).ok).toBe(true);
    expect(await send('https://rebind.example.com/')).toMatchObject(REFUSED);
    expect(opened).toEqual([]);
  });

  it('R-ATT-7 S258 private when saved: refused by the form; stored all the same, a public answer is good', async () => {
    const answers = [['10.0.0.5'], ['93.184.215.14']];
    const { guard, send } = setUp(async () => answers.shift() ?? []);
    expect(await guard.judgeForSave('https://rebind.example.com/', 'live')).toMatchObject({
      rule: 'address',
    });
    expect(await send('https://rebind.example.com/')).toMatchObject(TRIED);
  });

  it('R-ATT-7 a name server that fails at save speaks against nothing', async () => {
    const { guard } = setUp(() => Promise.reject(new Error('down')));
    expect((await guard.judgeForSave('https://hooks.example.com/', 'live')).ok).toBe(true);
    expect((await guard.judgeForSave('https://127.0.0.1/', 'live')).ok).toBe(false);
  });
});

describe('resolvers that fail', () => {
  const failing: [string, GuardOptions['resolve'], string][] = [
    [
      'NXDOMAIN',
      () => Promise.reject(Object.assign(new Error(), { code: 'ENOTFOUND' })),
      'The host name does not exist in DNS.',
    ],
    [
      'EAI_AGAIN',
      () => Promise.reject(Object.assign(new Error(), { code: 'EAI_AGAIN' })),
      'The name server did not answer for the host name.',
    ],
    ['anything else', () => Promise.reject(new TypeError('boom')), 'The host name could not be resolved.'],
    ['no error object', () => Promise.reject(undefined), 'The host name could not be resolved.'],
    [
      'an error that is thrown',
      () => {
        throw new RangeError('boom');
      },
      'The host name could not be resolved.',
    ],
    ['an empty answer', async () => [], 'The host name has no address in DNS.'],
    [
      'an answer that is none',
      async () => undefined as unknown as string[],
      'The host name could not be resolved.',
    ],
    ['no answer', () => new Promise(() => {}), 'The name server did not answer within 0.1 s.'],
  ];
  for (const [name, resolve, message] of failing) {
    it(`R-ATT-7 R-ATT-18 O28 ${name}: class dns, nothing is sent`, async () => {
      const end = await setUp(resolve).send('https://hooks.example.com/', { connectTimeoutMs: 100 });
      expect(end).toMatchObject({ errorClass: 'dns', message, address: null });
      expect(opened).toEqual([]);
    });
  }

  it('R-ATT-2 DNS that does not answer within the total is dns, too', async () => {
    const { send } = setUp(() => new Promise(() => {}));
    const end = await send('https://hooks.example.com/', { timeoutMs: 100 });
    expect(end).toMatchObject({ errorClass: 'dns' });
  });

  it('R-ATT-7 an address twice is tried once, and a hundred in order within the one limit', async () => {
    await setUp(async () => ['93.184.215.14', '93.184.215.14']).send('https://hooks.example.com/');
    expect(opened).toHaveLength(1);
    opened.length = 0;
    const hundred = Array.from({ length: 100 }, (_, index) => `93.184.215.${index + 1}`);
    await setUp(async () => hundred).send('https://hooks.example.com/');
    expect(opened.map((each) => each.host)).toEqual(hundred);
  });

  it('R-ATT-7 a private address behind a hundred public ones refuses them all', async () => {
    const many = [...Array.from({ length: 100 }, (_, index) => `93.184.215.${index + 1}`), '192.168.1.1'];
    expect(await setUp(async () => many).send('https://hooks.example.com/')).toMatchObject(REFUSED);
    expect(opened).toEqual([]);
  });
});

describe('what is connected to', () => {
  it('R-ATT-8 the port and SNI of a name, without its trailing dot; a literal has no SNI', async () => {
    const { send } = setUp(async () => ['93.184.215.14']);
    await send('https://Hooks.Example.com.:8443/in');
    await send('https://8.8.8.8/in');
    await send('https://[2606:4700:4700::1111]/in');
    expect(opened).toEqual([
      { host: '93.184.215.14', port: 8443, servername: 'hooks.example.com' },
      { host: '8.8.8.8', port: 443, servername: undefined },
      { host: '2606:4700:4700::1111', port: 443, servername: undefined },
    ]);
  });

  it('R-ATT-8 a live attempt over http is refused, a test one is not', async () => {
    const { send } = setUp(async () => ['93.184.215.14']);
    expect(await send('http://hooks.example.com/in')).toMatchObject({
      errorClass: 'refused_address',
      message: 'refused: a live endpoint must use https',
    });
    expect(opened).toEqual([]);
    expect(await send('http://hooks.example.com/in', { environment: 'test' })).toMatchObject(TRIED);
    expect(opened).toEqual([{ host: '93.184.215.14', port: 80, servername: undefined }]);
  });

  it('R-ATT-2 an address that does not answer: connect_timeout, by the connect limit and by the total', async () => {
    behaviour.hangs = true;
    const { send } = setUp(async () => ['93.184.215.14']);
    expect(await send('https://hooks.example.com/', { connectTimeoutMs: 100 })).toMatchObject({
      errorClass: 'connect_timeout',
      message: 'The receiver did not accept the connection within 0.1 s.',
      address: '93.184.215.14',
    });
    expect(await send('https://hooks.example.com/', { timeoutMs: 200 })).toMatchObject({
      errorClass: 'connect_timeout',
      message: 'The receiver did not accept the connection within 0.2 s.',
    });
  });
});

describe('allowed networks', () => {
  const allowNetworks = [parseCidr('10.0.0.0/8')!, parseCidr('fd00::/8')!];
  const table: [string, string[], object, string[]][] = [
    ['http://receiver:25/in', ['10.0.0.1'], TRIED, ['10.0.0.1']],
    ['http://receiver.local/in', ['10.0.0.1', 'fd00::1'], TRIED, ['10.0.0.1', 'fd00::1']],
    ['http://receiver/in', ['10.0.0.1', '93.184.215.14'], REFUSED, []],
    ['http://receiver/in', ['93.184.215.14'], REFUSED, []],
    ['http://receiver/in', ['192.168.0.1'], REFUSED, []],
    ['http://hooks.example.com/in', ['10.0.0.1', '93.184.215.14'], REFUSED, []],
    ['http://hooks.example.com/in', ['93.184.215.14'], TRIED, ['93.184.215.14']],
    ['http://10.0.0.7:9/in', [], TRIED, ['10.0.0.7']],
    ['http://127.0.0.1/in', [], REFUSED, []],
  ];
  for (const [url, answers, expected, connected] of table) {
    it(`R-ATT-7 ${url} at ${JSON.stringify(answers)}: ${connected.length > 0 ? 'tried' : 'refused'}`, async () => {
      const { send } = setUp(async () => answers, { allowNetworks });
      expect(await send(url, { environment: 'test' })).toMatchObject(expected);
      expect(opened.map((each) => each.host)).toEqual(connected);
    });
  }

  it('R-ATT-7 judges for the form by the addresses, too', async () => {
    const { guard } = setUp(async () => ['10.0.0.1'], { allowNetworks });
    expect((await guard.judgeForSave('http://receiver:25/in', 'test')).ok).toBe(true);
    const other = setUp(async () => ['93.184.215.14'], { allowNetworks }).guard;
    expect(await other.judgeForSave('http://receiver:25/in', 'test')).toMatchObject({ rule: 'address' });
  });
});

describe('this installation', () => {
  const SELF = {
    errorClass: 'refused_address',
    message: 'refused: the URL points at this installation itself',
  };
  const own = {
    publicUrl: 'https://hooks.platform.example',
    ownListeners: [{ host: '0.0.0.0', port: 8443 }],
    localAddresses: () => ['93.184.215.14'],
    receiverTokenAlive: (token: string) => token === 'tok_1',
  };

  it('R-ATT-16 PUBLIC_URL is refused, by any name an address and port we listen on', async () => {
    const { guard, send } = setUp(async () => ['93.184.215.14'], own);
    expect(await send('https://hooks.platform.example/v1')).toMatchObject(SELF);
    expect(await send('https://hooks.platform.example/r/tok_2')).toMatchObject(SELF);
    expect(await send('https://other.example.com:8443/')).toMatchObject(SELF);
    expect(await send('https://93.184.215.14:8443/')).toMatchObject(SELF);
    expect(opened).toEqual([]);
    expect(await guard.judgeForSave('https://other.example.com:8443/', 'live')).toMatchObject({
      rule: 'self',
    });
    expect(await send('https://other.example.com/')).toMatchObject(TRIED);
  });

  it('R-ATT-16 the built-in receiver is dialled at our own listener, by its living token alone', async () => {
    const { send } = setUp(async () => ['93.184.215.14'], own);
    expect(await send('https://hooks.platform.example/r/tok_1')).toMatchObject(TRIED);
    expect(opened).toEqual([{ host: '127.0.0.1', port: 8443, servername: undefined }]);
  });

  it('R-ATT-16 a token that died between two attempts is refused at the second', async () => {
    let isAlive = true;
    const { send } = setUp(async () => [], { ...own, receiverTokenAlive: () => isAlive });
    expect(await send('https://hooks.platform.example/r/tok_1')).toMatchObject(TRIED);
    isAlive = false;
    expect(await send('https://hooks.platform.example/r/tok_1')).toMatchObject(SELF);
    expect(opened).toHaveLength(1);
  });

  it('R-ATT-16 an engine that listens nowhere reaches the receiver like any other host', async () => {
    const { send } = setUp(async () => ['93.184.215.14'], { ...own, ownListeners: [] });
    expect(await send('https://hooks.platform.example/r/tok_1')).toMatchObject(TRIED);
    expect(opened).toEqual([{ host: '93.184.215.14', port: 443, servername: 'hooks.platform.example' }]);
  });

  it('R-ATT-16 an allowed network does not open it', async () => {
    const { send } = setUp(async () => ['127.0.0.1'], { ...own, allowNetworks: [parseCidr('127.0.0.0/8')!] });
    expect(await send('http://receiver:8443/', { environment: 'test' })).toMatchObject(SELF);
    expect(await send('http://127.9.9.9:8443/', { environment: 'test' })).toMatchObject(SELF);
    expect(opened).toEqual([]);
  });
});
