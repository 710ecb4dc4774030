/** The endpoint's form as plain data: what is typed, what is wrong with it, and what is sent. */
import type { z } from 'zod';
import { isEventFilter } from '@/server/core/event-filter';
import { checkOwnHeaders } from '@/server/core/own-headers';
import {
  type EndpointResource,
  endpointCreateInput,
  type endpointPatchInput,
} from '@/server/services/contract';
import { t } from '../messages';

export interface HeaderValue {
  name: string;
  value: string;
  /** Of the row on the screen alone. */
  key: string;
}

export interface EndpointFormValues {
  url: string;
  description: string;
  types: string[];
  /** Null: those that are set stay as they are. */
  headers: HeaderValue[] | null;
  /** '' while the field is empty. */
  concurrency: number | string;
}

export type FieldErrors = Record<string, string>;
export type EndpointCreate = z.input<typeof endpointCreateInput>;
export type EndpointPatch = z.input<typeof endpointPatchInput>;

export const EMPTY_VALUES: EndpointFormValues = {
  url: '',
  description: '',
  types: [],
  headers: [],
  concurrency: '',
};

export function valuesOf(endpoint: EndpointResource): EndpointFormValues {
  return {
    url: endpoint.url,
    description: endpoint.description,
    types: [...endpoint.types],
    headers: endpoint.headers.length > 0 ? null : [],
    concurrency: endpoint.concurrency ?? '',
  };
}

/** Rows for headers that are set, to be filled in anew: the names are known, the values are not. */
export function rowsFor(names: readonly string[]): HeaderValue[] {
  return names.map((name, index) => ({ name, value: '', key: String(index + 1) }));
}

/** One more, empty row; its key is its own for as long as it is on the screen. */
export function emptyRow(others: readonly HeaderValue[]): HeaderValue {
  const last = Math.max(0, ...others.map((header) => Number(header.key)));
  return { name: '', value: '', key: String(last + 1) };
}

/** Filters as typed or pasted, several at once with commas or spaces between; each once. */
export function splitTypes(typed: readonly string[]): string[] {
  return [...new Set(typed.flatMap((text) => text.split(/[\s,;]+/)))].filter(Boolean);
}

function concurrencyOf(typed: number | string): number | null {
  return typed === '' ? null : Number(typed);
}

const pairs = (headers: readonly HeaderValue[]) => headers.map(({ name, value }) => ({ name, value }));

/** What is sent to create it. */
export function createInputOf(values: EndpointFormValues): EndpointCreate {
  return {
    url: values.url.trim(),
    description: values.description.trim(),
    types: values.types,
    headers: pairs(values.headers ?? []),
    concurrency: concurrencyOf(values.concurrency),
  };
}

/** What differs from the endpoint as it is: only that is sent, so that two editors do not undo each other. */
export function patchOf(values: EndpointFormValues, endpoint: EndpointResource): EndpointPatch {
  const input = createInputOf(values);
  const patch: EndpointPatch = {};
  if (input.url !== endpoint.url) patch.url = input.url;
  if (input.description !== endpoint.description) patch.description = input.description;
  if (!isSameList(values.types, endpoint.types)) patch.types = values.types;
  if (input.concurrency !== endpoint.concurrency) patch.concurrency = input.concurrency;
  if (values.headers !== null && (values.headers.length > 0 || endpoint.headers.length > 0)) {
    patch.headers = input.headers;
  }
  return patch;
}

function isSameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}

/**
 * What is wrong, by field (`url`, `headers.2`): the server's schema first, in plain words, then the rules of
 * filters and own headers, which are the server's too. The URL's own rules are left to the server's answer.
 */
export function checkValues(values: EndpointFormValues): FieldErrors {
  const errors: FieldErrors = {};
  const parsed = endpointCreateInput.safeParse(createInputOf(values));
  for (const issue of parsed.error?.issues ?? []) {
    const path = fieldOf(issue.path);
    errors[path] ??= schemaMessage(issue, path, values);
  }
  const wrong = values.types.find((type) => !isEventFilter(type));
  if (wrong !== undefined) errors['types'] ??= t.endpoints.form.errors.filter(wrong);
  const headers = checkOwnHeaders(pairs(values.headers ?? []));
  if (!headers.ok) errors[`headers.${headers.index}`] ??= headers.message;
  return inFormOrder(errors);
}

const FIELDS = Object.keys(EMPTY_VALUES);

/** As the fields stand on the page, so that the first error is the topmost one. */
function inFormOrder(errors: FieldErrors): FieldErrors {
  const place = (path: string) => FIELDS.indexOf(path.split('.')[0] ?? '');
  return Object.fromEntries(Object.entries(errors).sort(([a], [b]) => place(a) - place(b)));
}

function fieldOf(path: readonly PropertyKey[]): string {
  const [field, index] = path;
  return field === 'headers' && typeof index === 'number' ? `headers.${index}` : String(field);
}

type Issue = Pick<z.core.$ZodIssue, 'code' | 'path'>;

/** The schema's own messages are written for programs; these are for people. */
function schemaMessage(issue: Issue, field: string, values: EndpointFormValues): string {
  const { errors } = t.endpoints.form;
  switch (field) {
    case 'url':
      return issue.code === 'too_small' ? errors.urlEmpty : errors.urlLong;
    case 'description':
      return errors.nameLong;
    case 'types':
      return issue.path.length > 1
        ? errors.filter(values.types[Number(issue.path[1])] ?? '')
        : errors.filters;
    case 'concurrency':
      return errors.concurrency;
    case 'headers':
      return errors.headersMany;
    default:
      return errors.headerEmpty;
  }
}

interface Refusal {
  data?: {
    serviceCode?: unknown;
    details?: readonly { path: string; message: string }[];
  } | null;
}

/** Which field the server refused, with its own message; empty where no field is to blame. */
export function refusedFields(error: unknown): FieldErrors {
  if (!(error instanceof Error)) return {};
  const { data } = error as Error & Refusal;
  if (data?.serviceCode === 'unsafe_url') return { url: error.message };
  const errors: FieldErrors = {};
  for (const { path, message } of data?.details ?? []) {
    const [field = '', index] = path.split('.');
    if (!FIELDS.includes(field)) continue;
    errors[field === 'headers' && index ? `headers.${index}` : field] ??= message;
  }
  return inFormOrder(errors);
}
