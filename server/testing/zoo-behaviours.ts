// The zoo's animals. Each entry is what goes over the wire, in latin-1.
import type { ZooPeer, ZooRequest } from './receiver-zoo';

export interface ZooScript {
  onConnect?(peer: ZooPeer): void;
  onRequest?(peer: ZooPeer, request: ZooRequest): void;
  /** The request's bytes are left in the kernel. */
  neverReads?: boolean;
}

/** A plain answer with its length. */
export function answer(status: string | number, headers: readonly string[] = [], body = 'ok'): string {
  const lines = [`HTTP/1.1 ${status}`, ...headers, `content-length: ${body.length}`];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

const OK = answer('200 OK');
const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
const PROCESSING = 'HTTP/1.1 102 Processing\r\n\r\n';
const HINTS = 'HTTP/1.1 103 Early Hints\r\nlink: </a.css>; rel=preload\r\n\r\n';
const HEAD_1000 = 'HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n';
const HEAD_CHUNKED = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
const HEAD_ENDLESS = 'HTTP/1.1 200 OK\r\n\r\n';

const write = (text: string): ZooScript => ({
  onRequest: (peer) => void peer.socket.write(text, 'latin1'),
});
const writeAndEnd = (text: string): ZooScript => ({
  onRequest: (peer) => void peer.socket.end(text, 'latin1'),
});
const act = (onRequest: (peer: ZooPeer) => void): ZooScript => ({ onRequest });

/** Byte after byte, each in a packet of its own. */
const dribble = (text: string, ms: number): ZooScript =>
  act((peer) => {
    let at = 0;
    peer.every(ms, () => {
      if (at < text.length) peer.socket.write(text.charAt(at++), 'latin1');
    });
  });

/** Writes as fast as the other side takes it. */
function flood(peer: ZooPeer, chunk: Buffer): void {
  const more = () => {
    while (!peer.socket.destroyed && peer.socket.write(chunk)) {
      // Until the kernel's buffer is full.
    }
  };
  peer.socket.on('drain', more);
  more();
}

const redirect = (status: string): ZooScript =>
  write(answer(status, ['location: http://169.254.169.254/latest/meta-data']));

const BEHAVIOURS = {
  // Received well.
  'ok-200': write(OK),
  'ok-201': write(answer('201 Created', ['location: /made/1'])),
  'ok-204': write('HTTP/1.1 204 No Content\r\n\r\n'),
  'ok-204-stray-body': write('HTTP/1.1 204 No Content\r\ncontent-length: 5\r\n\r\nstray'),
  'ok-no-reason': write(answer('200')),
  'ok-299': write(answer('299 Fine')),
  'ok-connection-close': writeAndEnd(answer('200 OK', ['connection: close'])),
  'ok-http-1.0-close': writeAndEnd('HTTP/1.0 200 OK\r\n\r\nok'),
  'ok-http-1.0-keep-alive': write('HTTP/1.0 200 OK\r\nconnection: keep-alive\r\ncontent-length: 2\r\n\r\nok'),
  'ok-chunked-trailers': write(`${HEAD_CHUNKED}2\r\nok\r\n0\r\nx-sum: 1\r\n\r\n`),
  'ok-gzip': write(answer('200 OK', ['content-encoding: gzip'], 'not really gzip')),
  'ok-proto-header': write(answer('200 OK', ['__proto__: x', 'constructor: y', '__proto__: z'])),
  'ok-header-40k': write(answer('200 OK', [`content-security-policy: ${'a'.repeat(40_000)}`])),
  'ok-body-5k': write(answer('200 OK', [], 'abcde'.repeat(1_000))),
  'ok-body-64k': write(answer('200 OK', [], 'a'.repeat(65_536))),
  'ok-dribbled': dribble(OK, 1),
  'echo-body': {
    onRequest: (peer, request) =>
      void peer.socket.write(answer('200 OK', [], request.body.toString('latin1'))),
  },
  // Interim answers.
  'interim-100': write(CONTINUE + OK),
  'interim-100-no-reason': write(`HTTP/1.1 100\r\n\r\n${OK}`),
  'interim-100-with-headers': write(`HTTP/1.1 100 Continue\r\nserver: a\r\ndate: b\r\n\r\n${OK}`),
  'interim-100-thrice': write(CONTINUE + CONTINUE + CONTINUE + OK),
  'interim-100-http-1.0': write(`HTTP/1.0 100 Continue\r\n\r\n${OK}`),
  'interim-100-dribbled': dribble(CONTINUE + OK, 1),
  'interim-100-later': act((peer) => {
    peer.socket.write(CONTINUE);
    peer.after(30, () => peer.socket.write(OK));
  }),
  'interim-102': write(PROCESSING + OK),
  'interim-103': write(HINTS + OK),
  'interim-mixed': write(PROCESSING + CONTINUE + HINTS + CONTINUE + OK),
  'interim-102-endless': act((peer) => peer.every(20, () => peer.socket.write(PROCESSING))),
  'interim-100-endless': act((peer) => peer.every(20, () => peer.socket.write(CONTINUE))),
  'interim-102-flood': act((peer) => flood(peer, Buffer.from(PROCESSING.repeat(100)))),
  'interim-then-silence': write(CONTINUE),
  'interim-then-fin': writeAndEnd(CONTINUE),
  'switch-101': write(
    'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n',
  ),
  'switch-101-plain': write(`HTTP/1.1 101 Switching Protocols\r\n\r\n${OK}`),
  // Statuses.
  'status-999': write(answer('999 Odd')),
  'status-600': write(answer('600 Odd')),
  'status-099': write(answer('099 Odd')),
  'status-1000': write(answer('1000 Odd')),
  'redirect-301': redirect('301 Moved Permanently'),
  'redirect-302': redirect('302 Found'),
  'redirect-303': redirect('303 See Other'),
  'redirect-307': redirect('307 Temporary Redirect'),
  'redirect-308': redirect('308 Permanent Redirect'),
  'redirect-nowhere': write(answer('302 Found')),
  'redirect-far': write(answer('302 Found', [`location: https://example.com/${'a'.repeat(5_000)}`])),
  'client-400': write(answer('400 Bad Request')),
  'client-403': write(answer('403 Forbidden')),
  'client-410': write(answer('410 Gone')),
  'client-429': write(answer('429 Too Many Requests', ['retry-after: 120', 'Retry-After: 3'])),
  'server-500': write(answer('500 Internal Server Error', [], '<img src=x onerror=alert(1)>')),
  'server-503': write(answer('503 Service Unavailable', ['retry-after: Wed, 21 Oct 2015 07:28:00 GMT'])),
  'client-413-early': {
    onConnect: (peer) =>
      peer.after(20, () => void peer.socket.end(answer('413 Payload Too Large', ['connection: close']))),
    neverReads: true,
  },
  // Slow and stuck ones.
  hang: {},
  'never-reads': { neverReads: true },
  'slow-headers': act((peer) => {
    peer.socket.write('HTTP/1.1 200 OK\r\n');
    peer.every(20, () => peer.socket.write('x: y\r\n'));
  }),
  'slow-status-line': dribble('HTTP/1.1 200 OK', 40),
  'stalled-body': write(`${HEAD_1000}some`),
  'dripping-body': act((peer) => {
    peer.socket.write(HEAD_ENDLESS);
    peer.every(30, () => peer.socket.write('.'));
  }),
  'endless-body': act((peer) => {
    peer.socket.write(HEAD_ENDLESS);
    flood(peer, Buffer.alloc(65_536, 0x61));
  }),
  // Ones that break off.
  'fin-at-once': { onConnect: (peer) => void peer.socket.end() },
  'rst-at-once': { onConnect: (peer) => peer.socket.resetAndDestroy() },
  'fin-before-headers': act((peer) => void peer.socket.end()),
  'rst-before-headers': act((peer) => void peer.socket.resetAndDestroy()),
  'fin-in-headers': writeAndEnd('HTTP/1.1 200 OK\r\ncontent-le'),
  'fin-in-body': writeAndEnd(`${HEAD_1000}some`),
  'rst-in-body': act((peer) => {
    peer.socket.write(`${HEAD_1000}some`);
    peer.after(20, () => peer.socket.resetAndDestroy());
  }),
  'missing-last-chunk': writeAndEnd(`${HEAD_CHUNKED}2\r\nok\r\n`),
  'bad-chunk': write(`${HEAD_CHUNKED}zz\r\nok\r\n`),
  // Ones that speak something else.
  'length-and-chunked': write(
    'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
  ),
  'two-lengths': write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nok'),
  'negative-length': write('HTTP/1.1 200 OK\r\ncontent-length: -2\r\n\r\nok'),
  garbage: write('\x16\x03\x01 what is this\r\n\r\n'),
  'http-2-frame': write('\x00\x00\x12\x04\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x64'),
  'bare-lf': write('HTTP/1.1 200 OK\ncontent-length: 2\n\nok'),
  'nul-in-header': write('HTTP/1.1 200 OK\r\nx: a\x00b\r\ncontent-length: 2\r\n\r\nok'),
  'folded-header': write('HTTP/1.1 200 OK\r\nx: a\r\n b\r\ncontent-length: 2\r\n\r\nok'),
  'header-70k': write(answer('200 OK', [`x: ${'a'.repeat(70_000)}`])),
  'headers-10000': write(
    answer(
      '200 OK',
      Array.from({ length: 10_000 }, (_, index) => `x-${index}: ${index}`),
    ),
  ),
  // Ones that say too much, or too early.
  'answer-before-request': { onConnect: (peer) => void peer.socket.write(OK) },
  'second-answer': act(
    (peer) => void peer.socket.write(OK + answer('500 Not Yours', [], `n${peer.connection}`)),
  ),
  'second-answer-later': act((peer) => {
    peer.socket.write(OK);
    peer.after(20, () => peer.socket.write(answer('500 Not Yours')));
  }),
  // Ones whose connections go stale.
  'keep-alive-closer': act((peer) => {
    peer.socket.write(OK);
    peer.after(50, () => peer.socket.end());
  }),
  'rst-on-second-request': act((peer) => {
    if (peer.nth === 1) peer.socket.write(OK);
    else peer.socket.resetAndDestroy();
  }),
  'fin-on-second-request': act((peer) => {
    if (peer.nth === 1) peer.socket.write(OK);
    else peer.socket.end();
  }),
  'rst-in-second-answer': act((peer) => {
    if (peer.nth === 1) return void peer.socket.write(OK);
    peer.socket.write('HTTP/1.1 2');
    peer.after(20, () => peer.socket.resetAndDestroy());
  }),
  'rst-on-every-second-connection': act((peer) => {
    if (peer.connection === 1 && peer.nth === 1) peer.socket.write(OK);
    else peer.socket.resetAndDestroy();
  }),
} satisfies Record<string, ZooScript>;

export type ZooBehaviour = keyof typeof BEHAVIOURS;

export const zooBehaviours = Object.keys(BEHAVIOURS) as readonly ZooBehaviour[];

export function zooScript(behaviour: ZooBehaviour): ZooScript {
  return BEHAVIOURS[behaviour];
}
