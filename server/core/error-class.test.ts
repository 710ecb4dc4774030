import { expect, it } from 'vitest';
import { attributionOf, ERROR_CLASSES, sentenceFor } from './error-class';

const NONE = { statusCode: null, message: null };

it('R-ATT-18 every class says whose side it lies on, as one table', () => {
  const sides = Object.fromEntries(
    Object.entries(ERROR_CLASSES).map(([name, info]) => [name, info.attribution]),
  );
  expect(sides).toEqual({
    http_4xx: 'receiver',
    http_429: 'receiver',
    http_5xx: 'receiver',
    redirect: 'receiver',
    dns: 'dns',
    refused_address: 'address',
    connect_refused: 'network',
    connect_timeout: 'network',
    tls: 'tls',
    reset: 'network',
    closed: 'network',
    timeout: 'receiver',
    protocol: 'receiver',
    unsigned: 'us',
    internal: 'us',
    lost: 'us',
    corrupt: 'us',
  });
  expect(attributionOf('lost')).toBe('us');
});

it('R-ATT-18 O38: every class has a sentence of its own that says what to do', () => {
  const sentences = Object.values(ERROR_CLASSES).map(({ sentence }) => sentence);
  expect(new Set(sentences).size).toBe(17);
  for (const sentence of sentences) {
    expect(sentence).toMatch(/[.]$/);
    expect(sentence.length).toBeGreaterThan(60);
    expect(sentence).not.toMatch(/\bE[A-Z]{4,}|UND_|undici|OpenSSL|Node/);
  }
});

it('R-ATT-18 the sentence of an attempt names its status', () => {
  expect(sentenceFor('http_5xx', { statusCode: 503, message: null })).toMatch(
    /^Status 503\. The receiver failed/,
  );
  expect(sentenceFor('dns', NONE)).toBe(ERROR_CLASSES.dns.sentence);
});

it('R-ATT-4 the sentence of a redirect shows where it pointed', () => {
  const where = { statusCode: 302, message: 'https://elsewhere.example/' };
  expect(sentenceFor('redirect', where)).toMatch(/^Status 302 to https:\/\/elsewhere\.example\/\. /);
});

it('R-ATT-18 only a redirect and a failed certificate quote the message', () => {
  const classes = Object.keys(ERROR_CLASSES) as (keyof typeof ERROR_CLASSES)[];
  const quoting = classes.filter((name) =>
    sentenceFor(name, { statusCode: null, message: 'XYZZY' }).includes('XYZZY'),
  );
  expect(quoting).toEqual(['redirect', 'tls']);
});

it('R-ATT-7 a refused address is called what the rule calls it, and no address is named', () => {
  expect(sentenceFor('refused_address', { statusCode: null, message: '10.0.0.1' })).toMatch(
    /^refused: not a public address/,
  );
});
