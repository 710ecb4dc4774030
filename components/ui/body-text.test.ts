import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bodyBytes, bytesOf, jsonTokens, prettyJson } from './body-text';

/** A JSON text without the white space outside its strings. */
const squeeze = (text: string) => text.replace(/("(?:[^"\\]|\\.)*")|\s+/g, '$1');

describe('pretty is a view: only white space outside strings is added', () => {
  it('keeps long numbers, order, doubles and escapes as they came', () => {
    const text = '{"b":12345678901234567890,"a":1.10,"a":"\\u0411 {,}","e":[],"o":{}}';
    expect(prettyJson(text)).toBe(
      '{\n  "b": 12345678901234567890,\n  "a": 1.10,\n  "a": "\\u0411 {,}",\n  "e": [],\n  "o": {}\n}',
    );
  });

  it('R-PUB-9 any JSON is the same text again once the white space is taken away', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const pretty = prettyJson(text);
        if (pretty !== null) expect(squeeze(pretty)).toBe(squeeze(text));
      }),
    );
  });

  it('what is no object or list of JSON is left alone', () => {
    expect([prettyJson('hello'), prettyJson('{"a":'), prettyJson('12'), prettyJson('')]).toEqual([
      null,
      null,
      null,
      null,
    ]);
  });
});

it('R-PUB-9 the shaded runs joined together are the text, character by character', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      expect(
        jsonTokens(text)
          .map((token) => token.text)
          .join(''),
      ).toBe(text);
    }),
  );
  const kinds = jsonTokens('{"a": "b", "n": 1}').map((token) => token.kind);
  expect(kinds).toEqual(['mark', 'key', 'mark', 'string', 'mark', 'key', 'mark', 'literal', 'mark']);
});

it('R-PUB-9 bytes and their number are those that were stored', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      const body = Buffer.from(bytes).toString('base64');
      expect([...bytesOf(body, 'base64')]).toEqual([...bytes]);
      expect(bodyBytes(body, 'base64')).toBe(bytes.length);
    }),
  );
  expect(bodyBytes('Бат', 'utf8')).toBe(6);
  expect(Buffer.from(bytesOf('Бат', 'utf8')).toString()).toBe('Бат');
});
