import { errors } from 'undici';
import { describe, expect, it } from 'vitest';
import type { NetworkErrorClass } from '@/server/core/model';
import {
  connectFailure,
  DispatchFailure,
  dnsFailure,
  type ExchangeFacts,
  exchangeFailure,
  failureFrom,
  looksStale,
  seconds,
  tlsFailure,
} from './error-class';

const coded = (code: unknown) => Object.assign(new Error('secret inner text 10.0.0.1'), { code });
const PLAIN: ExchangeFacts = { answerBegan: false, sawSwitch: false, isTls: false };

describe('connectFailure', () => {
  const table: [string, NetworkErrorClass][] = [
    ['ECONNREFUSED', 'connect_refused'],
    ['ECONNRESET', 'reset'],
    ['ETIMEDOUT', 'connect_timeout'],
    ['EHOSTUNREACH', 'connect_refused'],
    ['ENETUNREACH', 'connect_refused'],
    ['EADDRNOTAVAIL', 'connect_refused'],
    ['EMFILE', 'internal'],
    ['ENFILE', 'internal'],
    ['ENOBUFS', 'internal'],
    ['EWHATEVER', 'connect_refused'],
  ];
  for (const [code, errorClass] of table) {
    it(`R-ATT-18 ${code} while connecting is ${errorClass}`, () => {
      expect(connectFailure(coded(code)).errorClass).toBe(errorClass);
    });
  }
});

describe('exchangeFailure', () => {
  const table: [unknown, Partial<ExchangeFacts>, NetworkErrorClass][] = [
    [coded('ECONNRESET'), {}, 'reset'],
    [coded('EPIPE'), {}, 'reset'],
    [coded('ETIMEDOUT'), {}, 'reset'],
    [new errors.SocketError('other side closed'), {}, 'closed'],
    [new errors.SocketError('bad upgrade'), { sawSwitch: true }, 'protocol'],
    [new errors.HTTPParserError('bad'), {}, 'protocol'],
    [new errors.HeadersOverflowError('big'), {}, 'protocol'],
    [new errors.ResponseContentLengthMismatchError('odd'), {}, 'protocol'],
    [coded('ERR_ASSERTION'), { answerBegan: true }, 'protocol'],
    [coded('ERR_ASSERTION'), {}, 'internal'],
    [coded('ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED'), { isTls: true }, 'tls'],
    [coded('EPROTO'), { isTls: true }, 'tls'],
    [new errors.InvalidArgumentError('bad header'), {}, 'internal'],
    [new errors.ClientDestroyedError('gone'), {}, 'internal'],
    [new TypeError('x is not a function'), {}, 'internal'],
    [new DOMException('timeout', 'TimeoutError'), {}, 'internal'],
    [coded(23), {}, 'internal'],
    ['a string', {}, 'internal'],
    [null, {}, 'internal'],
    [new DispatchFailure('dns', 'Own words.'), {}, 'dns'],
  ];
  for (const [error, facts, errorClass] of table) {
    const name =
      error instanceof Error ? `${error.name} ${'code' in error ? error.code : ''}` : String(error);
    it(`R-ATT-18 ${name} ${JSON.stringify(facts)} is ${errorClass}, in our own words`, () => {
      const failure = exchangeFailure(error, { ...PLAIN, ...facts });
      expect(failure.errorClass).toBe(errorClass);
      if (error instanceof Error && !(error instanceof DispatchFailure)) {
        expect(failure.message).not.toContain(error.message);
      }
    });
  }

  it('R-ATT-18 a closed TLS connection names the client certificate as a cause', () => {
    const closed = new errors.SocketError('other side closed');
    expect(exchangeFailure(closed, { ...PLAIN, isTls: true }).message).toContain('client certificate');
    expect(exchangeFailure(closed, PLAIN).message).not.toContain('client certificate');
  });
});

describe('the other failures', () => {
  it('R-ATT-18 DNS is always dns, TLS always tls, with no foreign word', () => {
    for (const error of [coded('ENOTFOUND'), coded('ESERVFAIL'), coded(undefined), undefined, 'x']) {
      expect(dnsFailure(error).errorClass).toBe('dns');
      expect(tlsFailure(error).errorClass).toBe('tls');
      expect(dnsFailure(error).message + tlsFailure(error).message).not.toMatch(/secret|10\.0|E[A-Z]{4}/);
    }
    expect(tlsFailure(coded('CERT_HAS_EXPIRED')).message).toBe('The certificate has expired.');
  });

  it('R-ATT-18 what has no class is a fault of ours', () => {
    expect(failureFrom(new RangeError('x')).errorClass).toBe('internal');
    const own = new DispatchFailure('tls', 'y');
    expect(failureFrom(own)).toBe(own);
  });

  it('R-ATT-15 only a reset or closed connection looks stale', () => {
    const classes: NetworkErrorClass[] = ['reset', 'closed', 'timeout', 'protocol', 'tls', 'dns', 'internal'];
    expect(classes.filter((each) => looksStale(new DispatchFailure(each, 'x')))).toEqual(['reset', 'closed']);
  });

  it('R-ATT-18 writes durations plainly', () => {
    expect([300, 1_000, 10_000, 2_550].map(seconds)).toEqual(['0.3 s', '1 s', '10 s', '2.6 s']);
  });
});
