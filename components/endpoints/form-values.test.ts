import { describe, expect, it } from 'vitest';
import { type EndpointResource, endpointCreateInput, endpointPatchInput } from '@/server/services/contract';
import {
  checkValues,
  createInputOf,
  EMPTY_VALUES,
  type EndpointFormValues,
  emptyRow,
  patchOf,
  refusedFields,
  rowsFor,
  splitTypes,
  valuesOf,
} from './form-values';

const good: EndpointFormValues = {
  url: ' https://hooks.example.com/x ',
  description: 'shop-eu ',
  types: ['payment.*'],
  headers: [{ name: 'X-Key', value: 'abc', key: 'a' }],
  concurrency: 8,
};
const endpoint = {
  url: 'https://hooks.example.com/x',
  description: 'shop-eu',
  types: ['payment.*'],
  headers: ['X-Key'],
  concurrency: 8,
} as EndpointResource;

describe('what is sent', () => {
  it('R-FAIL-8 a new endpoint is what the server’s schema takes, without the screen’s own keys', () => {
    const input = createInputOf(good);
    expect(endpointCreateInput.parse(input)).toEqual({
      url: 'https://hooks.example.com/x',
      description: 'shop-eu',
      types: ['payment.*'],
      headers: [{ name: 'X-Key', value: 'abc' }],
      concurrency: 8,
    });
    expect(createInputOf({ ...good, concurrency: '' }).concurrency).toBeNull();
  });
  it.each([
    ['nothing', {}, {}],
    ['the URL', { url: 'https://b.example/' }, { url: 'https://b.example/' }],
    ['the filter', { types: [] }, { types: [] }],
    ['the cap', { concurrency: '' }, { concurrency: null }],
    [
      'headers',
      { headers: [{ name: 'X-N', value: '1', key: 'k' }] },
      { headers: [{ name: 'X-N', value: '1' }] },
    ],
    ['headers taken away', { headers: [] }, { headers: [] }],
  ] as const)('R-FAIL-8 an edit sends only what was changed: %s', (_what, change, patch) => {
    const values = { ...valuesOf(endpoint), ...change } as EndpointFormValues;
    expect(patchOf(values, endpoint)).toEqual(patch);
    expect(endpointPatchInput.safeParse(patch).success).toBe(true);
  });
  it('R-FAIL-8 without headers before and after none is sent', () => {
    const bare = { ...endpoint, headers: [] };
    expect(patchOf(valuesOf(bare), bare)).toEqual({});
  });
});

describe('what is wrong before it is sent', () => {
  it.each([
    ['no URL', { url: '  ' }, 'url', 'Enter the URL that should receive the events.'],
    [
      'a long URL',
      { url: `https://a.example/${'x'.repeat(2_048)}` },
      'url',
      'The URL is longer than 2,048 characters. Use a shorter one.',
    ],
    [
      'a long description',
      { description: 'x'.repeat(1_001) },
      'description',
      'Use at most 1,000 characters.',
    ],
    [
      'too many filters',
      { types: Array.from({ length: 101 }, (_, n) => `a.${n}`) },
      'types',
      'Use at most 100 filters.',
    ],
    [
      'no filter at all',
      { types: ['Payment Done'] },
      'types',
      'Payment Done is no filter. Use a type in lower case, a prefix with .* behind it, or *.',
    ],
    ['half a cap', { concurrency: 1.5 }, 'concurrency', 'Use a whole number from 1 to 64.'],
    ['too high a cap', { concurrency: 65 }, 'concurrency', 'Use a whole number from 1 to 64.'],
    ['words for a cap', { concurrency: 'many' }, 'concurrency', 'Use a whole number from 1 to 64.'],
    [
      'a header without a name',
      { headers: [{ name: '', value: 'x', key: 'a' }] },
      'headers.0',
      'Enter a name and a value, or remove the header.',
    ],
  ] as const)('R-FAIL-8 %s', (_what, change, field, message) => {
    expect(checkValues({ ...good, ...change } as EndpointFormValues)).toEqual({ [field]: message });
  });
  it('R-ATT-1 a header of ours is refused at its own row', () => {
    const headers = [
      { name: 'X-Key', value: 'a', key: 'a' },
      { name: 'Host', value: 'b', key: 'b' },
    ];
    expect(checkValues({ ...good, headers })).toEqual({
      'headers.1': 'Host is set by us or by the connection. Use another name.',
    });
  });
  it('R-FAIL-8 what is right has no error', () => {
    expect(checkValues(good)).toEqual({});
    expect(checkValues({ ...EMPTY_VALUES, url: 'https://a.example/', headers: null })).toEqual({});
  });
});

it('R-PUB-2 filters can be pasted as a list', () => {
  expect(splitTypes(['kyc.*,', 'payment.*; kyc.*  a.b', ''])).toEqual(['kyc.*', 'payment.*', 'a.b']);
});

it('R-FAIL-8 errors stand in the order of the fields, whoever found them', () => {
  const values = {
    ...good,
    types: ['Bad One'],
    headers: [{ name: 'Host', value: 'x', key: '1' }],
    concurrency: 99,
  };
  expect(Object.keys(checkValues(values))).toEqual(['types', 'headers.0', 'concurrency']);
});

it('R-FAIL-8 replacing headers begins with the names that are set, each row under a key of its own', () => {
  const rows = rowsFor(['X-A', 'X-B']);
  expect(rows).toEqual([
    { name: 'X-A', value: '', key: '1' },
    { name: 'X-B', value: '', key: '2' },
  ]);
  expect(emptyRow(rows)).toEqual({ name: '', value: '', key: '3' });
  expect(emptyRow([])).toEqual({ name: '', value: '', key: '1' });
});

describe('what the server refused', () => {
  const refusal = (data: object, message = 'The request is not valid.') =>
    Object.assign(new Error(message), { data });
  it('R-ATT-8 the URL guard’s own message stands at the URL', () => {
    const message = 'The address is not a public one. Use one that can be reached from the internet.';
    const details = [{ path: 'url', message: 'Rule: address.' }];
    expect(refusedFields(refusal({ serviceCode: 'unsafe_url', details }, message))).toEqual({ url: message });
  });
  it('R-ATT-1 a detail stands at the field that it names', () => {
    const details = [
      { path: 'types.3', message: 'A filter is a type.' },
      { path: 'headers.1', message: 'X-A is there twice.' },
      { path: 'appId', message: 'unknown' },
    ];
    expect(refusedFields(refusal({ serviceCode: 'invalid_request', details }))).toEqual({
      types: 'A filter is a type.',
      'headers.1': 'X-A is there twice.',
    });
  });
  it('R-ATT-8 what is nobody’s field blames none', () => {
    expect(refusedFields(refusal({ serviceCode: 'conflict', details: [] }))).toEqual({});
    expect(refusedFields(new Error('fetch failed'))).toEqual({});
    expect(refusedFields(null)).toEqual({});
  });
});
