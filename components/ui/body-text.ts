/** How a body is shown for reading. The bytes themselves are never touched: these are views of a text. */

const INDENT = '  ';

interface Printer {
  out: string;
  depth: number;
}

function open(p: Printer, char: string, emptyNext: boolean): void {
  p.out += char;
  p.depth += 1;
  if (!emptyNext) newline(p);
}

function newline(p: Printer): void {
  p.out += `\n${INDENT.repeat(p.depth)}`;
}

/** End of the string literal that begins at `start`, exclusive. */
function stringEnd(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return Math.min(at + 1, text.length);
}

function nextSolid(text: string, from: number): number {
  let at = from;
  while (at < text.length && /\s/.test(text[at] ?? '')) at += 1;
  return at;
}

function punctuation(p: Printer, text: string, at: number): void {
  const char = text[at];
  if (char === '{' || char === '[') {
    const next = text[nextSolid(text, at + 1)];
    open(p, char, next === '}' || next === ']');
  } else if (char === '}' || char === ']') {
    p.depth -= 1;
    const last = p.out.at(-1);
    if (last !== '{' && last !== '[') newline(p);
    p.out += char;
  } else if (char === ',') {
    p.out += char;
    newline(p);
  } else if (char === ':') p.out += ': ';
  else p.out += char ?? '';
}

/**
 * JSON with line breaks and indentation added, token by token: no number is rounded, no key reordered, no
 * duplicate dropped, no escape rewritten. Null for what is not JSON.
 */
export function prettyJson(text: string): string | null {
  if (!isJson(text)) return null;
  const printer: Printer = { out: '', depth: 0 };
  let at = 0;
  while (at < text.length) {
    if (text[at] === '"') {
      const end = stringEnd(text, at);
      printer.out += text.slice(at, end);
      at = end;
      continue;
    }
    if (!/\s/.test(text[at] ?? '')) punctuation(printer, text, at);
    at += 1;
  }
  return printer.out;
}

function isJson(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null;
  } catch {
    return false;
  }
}

/** Length in bytes of a body as stored. */
export function bodyBytes(body: string, encoding: 'utf8' | 'base64'): number {
  if (encoding === 'utf8') return new TextEncoder().encode(body).length;
  const padding = body.endsWith('==') ? 2 : body.endsWith('=') ? 1 : 0;
  return Math.floor((body.length * 3) / 4) - padding;
}

/** The exact bytes, for a download. */
export function bytesOf(body: string, encoding: 'utf8' | 'base64'): Uint8Array<ArrayBuffer> {
  if (encoding === 'utf8') return new TextEncoder().encode(body) as Uint8Array<ArrayBuffer>;
  return Uint8Array.from(atob(body), (char) => char.charCodeAt(0));
}

export type TokenKind = 'key' | 'string' | 'literal' | 'mark';
export interface Token {
  at: number;
  kind: TokenKind;
  text: string;
}

const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null/g;

/** Splits a JSON text into runs for shading; joined together they are the text again, character by character. */
export function jsonTokens(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let last = 0;
  const push = (kind: TokenKind, from: number, to: number) => {
    if (to > from) tokens.push({ at: from, kind, text: text.slice(from, to) });
  };
  for (const match of text.matchAll(TOKEN)) {
    const end = match.index + match[0].length;
    push('mark', last, match.index);
    const isKey = match[0].startsWith('"') && text[nextSolid(text, end)] === ':';
    push(isKey ? 'key' : match[0].startsWith('"') ? 'string' : 'literal', match.index, end);
    last = end;
  }
  push('mark', last, text.length);
  return tokens;
}
