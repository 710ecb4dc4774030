import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildEnvelope, buildSentBytes, type EnvelopeParts } from '@/server/core/envelope';
import { scanObject } from '@/server/core/json-slice';

const SLICE = '{"amount":9007199254740993,"rate":1.0,"2":"b","1":"a"}';
const parts = (data: string): EnvelopeParts => ({
  id: 'evt_01kdvr3m00e8tscncmdv5k9fzr',
  type: 'payment.paid',
  environment: 'live',
  createdAt: 1_767_225_600_007,
  data: Buffer.from(data, 'utf8'),
});

describe('the envelope', () => {
  it('R-PUB-9 R-PUB-4 standard: the four facts, then the slice as it was published', () => {
    expect(Buffer.from(buildEnvelope(parts(SLICE))).toString('utf8')).toBe(
      `{"id":"evt_01kdvr3m00e8tscncmdv5k9fzr","type":"payment.paid","environment":"live","created_at":"2026-01-01T00:00:00.007Z","data":${SLICE}}`,
    );
  });

  it('R-PUB-9 none: the published bytes alone, JSON or not', () => {
    const given = parts('\u0000 not json');
    expect(buildSentBytes('none', given)).toEqual(given.data);
    expect(buildSentBytes('standard', parts('1'))).toEqual(buildEnvelope(parts('1')));
  });

  it('R-PUB-4 R-PUB-9 any JSON value is found again in the envelope byte for byte', () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: 'binary' }), (data) => {
        const published = Buffer.from(data, 'utf8');
        const bytes = buildEnvelope({ ...parts('0'), data: published });
        const scan = scanObject(bytes, { deepKeys: ['data'] });
        const slice = scan.ok ? scan.entries.get('data') : undefined;
        expect(Buffer.from(bytes.subarray(slice?.start, slice?.end))).toEqual(published);
        expect(scan.ok && [...scan.entries.keys()]).toEqual([
          'id',
          'type',
          'environment',
          'created_at',
          'data',
        ]);
      }),
    );
  });
});
