// Invariant: of what a receiver sends, at most one byte of each interim status line is changed, in place: the last
// digit of an unasked `100`, which undici takes for an error, becomes that of a `102`, which it passes over as
// R-ATT-3 demands. No byte is added, dropped, held back or moved, however the packets are cut.
import type { Socket } from 'node:net';

const CR = 0x0d;
const LF = 0x0a;
const ZERO = 0x30;
const ONE = 0x31;
const TWO = 0x32;
const STATUS_LINE = Buffer.from('HTTP/1.1 1xx', 'latin1');
const MINOR_VERSION = 7;
const TENS = 10;
const UNITS = 11;

export class InterimFilter {
  /** `line`: at the start of an answer · `block`: in the headers of an interim one · `pass`: past them. */
  #mode: 'line' | 'block' | 'pass' = 'pass';
  /** Bytes of the status line seen. */
  #at = 0;
  #tensAreZero = false;
  /** How much of the empty line that ends a block has been seen, 0–3. */
  #blank = 0;
  /** An unasked `101` came since the last `begin` (undici reports it like a closed connection). */
  sawSwitch = false;

  /** A request is about to be written: the next bytes begin its answer. */
  begin(): void {
    this.#mode = 'line';
    this.#at = 0;
    this.sawSwitch = false;
  }

  /** Looks through the next bytes of the answer, changing them in place where the invariant says so. */
  rewrite(chunk: Uint8Array): void {
    for (let index = 0; index < chunk.length && this.#mode !== 'pass'; index++) {
      const byte = chunk[index] ?? 0;
      if (this.#mode === 'block') this.#inBlock(byte);
      else if (this.#inLine(byte)) chunk[index] = TWO;
    }
  }

  /** Steps through a status line; true when this byte is the last digit of a `100`. */
  #inLine(byte: number): boolean {
    const at = this.#at;
    if (at === 0 && (byte === CR || byte === LF)) return false;
    this.#at = at + 1;
    if (at < TENS) {
      const fits = at === MINOR_VERSION ? byte === ZERO || byte === ONE : byte === STATUS_LINE[at];
      if (!fits) this.#mode = 'pass';
      return false;
    }
    if (at < UNITS) {
      this.#tensAreZero = byte === ZERO;
      return false;
    }
    this.#mode = 'block';
    this.#blank = 0;
    if (this.#tensAreZero && byte === ONE) this.sawSwitch = true;
    return this.#tensAreZero && byte === ZERO;
  }

  #inBlock(byte: number): void {
    if (byte === CR) {
      this.#blank = this.#blank === 2 ? 3 : 1;
    } else if (byte === LF && this.#blank === 1) {
      this.#blank = 2;
    } else if (byte === LF && this.#blank === 3) {
      this.#mode = 'line';
      this.#at = 0;
    } else {
      this.#blank = 0;
    }
  }
}

/** Lets a filter see what is read from a socket before anyone else does. */
export function filterInterim(socket: Socket): InterimFilter {
  const filter = new InterimFilter();
  const read = socket.read;
  socket.read = (size?: number) => {
    const chunk: unknown = read.call(socket, size);
    if (chunk instanceof Uint8Array) filter.rewrite(chunk);
    return chunk;
  };
  return filter;
}
