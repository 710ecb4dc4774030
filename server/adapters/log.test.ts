import { describe, expect, it } from 'vitest';
import { createLogger, type LogOptions } from '@/server/adapters/log';
import { createFakeClock } from '@/server/testing/fake-clock';

function logged(options: Partial<LogOptions> = {}) {
  const lines: string[] = [];
  const log = createLogger({
    clock: createFakeClock(),
    destination: { write: (line) => void lines.push(line) },
    ...options,
  });
  return { log, lines };
}

describe('the log', () => {
  it('D36 one JSON line per event: level, time, base, fields, event', () => {
    const { log, lines } = logged({ base: { part: 'engine' } });
    log.info('attempt ended', { endpointId: 'ep_1', status: 204, durationMs: 12 });
    expect(lines).toEqual([
      '{"level":"info","time":"2026-01-01T00:00:00.000Z","part":"engine","endpointId":"ep_1","status":204,"durationMs":12,"event":"attempt ended"}\n',
    ]);
  });

  it('D36 O36 a receiver cannot forge a line or turn its text around', () => {
    const { log, lines } = logged();
    log.warn('attempt\nended', { message: 'oops\r\n{"level":"info"}\u2028\u202e\u0000', 'k\ney': 1 });
    expect(lines).toHaveLength(1);
    expect(lines[0]?.trimEnd()).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      level: 'warn',
      event: 'attempt\\nended',
      message: 'oops\\r\\n{"level":"info"}\\u2028\\u202e\\u0000',
      'k\\ney': 1,
    });
  });

  it('D36 D25 secrets, headers and payloads do not get in; errors do, with their code', () => {
    const { log, lines } = logged();
    const error = Object.assign(new Error('send failed: Bearer canary1'), { code: 'ECONNRESET' });
    log.error('internal', {
      err: error,
      headers: { Authorization: 'canary2', Cookie: 'canary3', 'content-type': 'text/plain' },
      body: 'canary4',
      url: 'https://h.example/x?sig=canary5',
      secret: 'canary6',
    });
    expect(lines[0]).not.toMatch(/canary/);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      err: { name: 'Error', code: 'ECONNRESET', message: 'send failed: Bearer ***' },
      headers: { 'content-type': 'text/plain' },
      url: 'https://h.example/x?***',
    });
  });

  it('D36 fields cannot take the place of level, time or event', () => {
    const { log, lines } = logged();
    log.info('real', { event: 'forged', level: 'error', time: 'never' });
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toEqual({
      event: 'real',
      level: 'info',
      time: '2026-01-01T00:00:00.000Z',
      event_: 'forged',
      level_: 'error',
      time_: 'never',
    });
  });

  it('D36 below the level nothing is written', () => {
    const { log, lines } = logged({ level: 'warn' });
    log.info('quiet');
    log.warn('loud');
    expect(lines).toHaveLength(1);
  });
});
