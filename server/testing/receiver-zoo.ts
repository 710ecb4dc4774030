// Receivers that misbehave, over raw sockets: what they send is byte for byte what is written here. Loopback alone.
import { readFileSync } from 'node:fs';
import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { type ZooBehaviour, type ZooScript, zooScript } from './zoo-behaviours';

/** One request as it came in. */
export interface ZooRequest {
  method: string;
  path: string;
  /** Names as sent, in order. */
  headers: readonly (readonly [string, string])[];
  /** The first value of a header, by any case. */
  header(name: string): string | undefined;
  body: Buffer;
  /** Which connection it came over, from 1. */
  connection: number;
}

/** One connection, as a script sees it. */
export interface ZooPeer {
  socket: Socket;
  /** From 1, over the zoo. */
  connection: number;
  /** Which request of this connection is being answered, from 1. */
  nth: number;
  /** Until the connection closes. */
  every(ms: number, fn: () => void): void;
  after(ms: number, fn: () => void): void;
}

export type ZooCertificate =
  | 'good'
  | 'expired'
  | 'not-yet-valid'
  | 'wrong-name'
  | 'self-signed'
  | 'unknown-issuer';

export interface ZooOptions {
  tls?: ZooCertificate;
  /** Further options of the TLS server, such as `maxVersion` or `requestCert`. */
  tlsOptions?: TlsOptions;
  /** The address to listen on; 127.0.0.1 unless given. */
  host?: string;
  /** The host in `url`, which the test's resolver must know; the address unless given. */
  name?: string;
  /** The scheme in `url`, where it is not the server's. */
  scheme?: 'http' | 'https';
}

export interface Zoo {
  /** `http(s)://host:port/in`. */
  url: string;
  port: number;
  /** Whole requests, oldest first; grows. */
  requests: ZooRequest[];
  /** Connections accepted so far, those that failed at TLS too. */
  connections(): number;
  /** Connections that are open now. */
  open(): number;
  /** Resolves when no connection is open. */
  allClosed(): Promise<void>;
  close(): Promise<void>;
}

const certificates = new URL('./certs/', import.meta.url);

/** The authority that signed the zoo's certificates, as PEM. */
export function zooAuthority(): string {
  return readFileSync(new URL('ca.pem', certificates), 'utf8');
}

/** Starts a receiver that behaves as named, or as scripted. */
export async function startZoo(behaviour: ZooBehaviour | ZooScript, options: ZooOptions = {}): Promise<Zoo> {
  const script = typeof behaviour === 'string' ? zooScript(behaviour) : behaviour;
  const requests: ZooRequest[] = [];
  const sockets = new Set<Socket>();
  const waiting: (() => void)[] = [];
  let accepted = 0;

  const onSocket = (socket: Socket) => {
    accepted += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      sockets.delete(socket);
      if (sockets.size === 0) for (const resolve of waiting.splice(0)) resolve();
    });
    if (options.tls === undefined) serve(socket, { script, requests, connection: accepted });
  };

  const host = options.host ?? '127.0.0.1';
  let server: Server;
  if (options.tls === undefined) {
    server = createTcpServer({ noDelay: true }, onSocket);
  } else {
    const pem = readFileSync(new URL(`${options.tls}.pem`, certificates), 'utf8');
    const tlsServer = createTlsServer({ key: pem, cert: pem, ...options.tlsOptions });
    tlsServer.on('tlsClientError', () => undefined);
    tlsServer.on('connection', onSocket);
    tlsServer.on('secureConnection', (socket) => {
      socket.on('error', () => undefined);
      serve(socket, { script, requests, connection: accepted });
    });
    server = tlsServer;
  }
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const port = portOf(server);
  const scheme = options.scheme ?? (options.tls === undefined ? 'http' : 'https');
  const shown = options.name ?? (host.includes(':') ? `[${host}]` : host);

  return {
    url: `${scheme}://${shown}:${port}/in`,
    port,
    requests,
    connections: () => accepted,
    open: () => sockets.size,
    allClosed: () =>
      sockets.size === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve)),
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

/** A port of 127.0.0.1 on which nothing listens. */
export async function refusingPort(): Promise<number> {
  const server = createTcpServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const port = portOf(server);
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not listening');
  return address.port;
}

function serve(socket: Socket, zoo: { script: ZooScript; requests: ZooRequest[]; connection: number }): void {
  const timers = new Set<NodeJS.Timeout>();
  const peer: ZooPeer = {
    socket,
    connection: zoo.connection,
    nth: 0,
    every: (ms, fn) => void timers.add(setInterval(fn, ms)),
    after: (ms, fn) => void timers.add(setTimeout(fn, ms)),
  };
  socket.on('close', () => {
    for (const timer of timers) clearTimeout(timer);
  });
  zoo.script.onConnect?.(peer);
  if (zoo.script.neverReads) return void socket.pause();
  let pending: Buffer = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk]);
    for (;;) {
      const parsed = parseRequest(pending, zoo.connection);
      if (parsed === null) return;
      pending = parsed.rest;
      zoo.requests.push(parsed.request);
      peer.nth += 1;
      zoo.script.onRequest?.(peer, parsed.request);
    }
  });
}

function parseRequest(bytes: Buffer, connection: number): { request: ZooRequest; rest: Buffer } | null {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd === -1) return null;
  const [requestLine = '', ...lines] = bytes.toString('latin1', 0, headEnd).split('\r\n');
  const [method = '', path = ''] = requestLine.split(' ');
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
  const header = (name: string) => headers.find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1];
  const bodyEnd = headEnd + 4 + Number(header('content-length') ?? 0);
  if (bytes.length < bodyEnd) return null;
  const body = bytes.subarray(headEnd + 4, bodyEnd);
  return { request: { method, path, headers, header, body, connection }, rest: bytes.subarray(bodyEnd) };
}
