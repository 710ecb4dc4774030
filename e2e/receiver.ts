// A merchant's receiver on this machine: answers as it is told, and remembers what came.
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

export interface Answer {
  status: number;
  /** The words behind the status. */
  words?: string;
  headers?: Record<string, string>;
  body?: string;
}

export class Receiver {
  /** Whole requests, oldest first. */
  readonly requests: Received[] = [];
  #script: Answer[] = [];
  #otherwise: Answer = { status: 204 };
  #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(otherwise?: Answer): Promise<Receiver> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const answer = receiver.#next({
          method: request.method ?? '',
          path: request.url ?? '',
          headers: request.headers,
          body: Buffer.concat(chunks),
        });
        if (answer.words === undefined) response.writeHead(answer.status, answer.headers);
        else response.writeHead(answer.status, answer.words, answer.headers);
        response.end(answer.body);
      });
    });
    const receiver = new Receiver(server);
    if (otherwise) receiver.#otherwise = otherwise;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hooks`;
  }

  /** The next requests get these answers, all later ones the last `always`. */
  answers(...script: Answer[]): void {
    this.#script = script;
  }

  always(answer: Answer): void {
    this.#otherwise = answer;
    this.#script = [];
  }

  #next(received: Received): Answer {
    this.requests.push(received);
    return this.#script.shift() ?? this.#otherwise;
  }

  stop(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}

/** A port of this machine on which nothing listens. */
export async function deadUrl(scheme: 'http' | 'https'): Promise<string> {
  const receiver = await Receiver.start();
  const url = receiver.url.replace('http', scheme);
  await receiver.stop();
  return url;
}
