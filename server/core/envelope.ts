/**
 * Invariant: what is sent is built once, at publish, and the publisher's slice is in it byte for byte
 * (R-PUB-4, R-PUB-9).
 */
import type { Environment } from '@/server/core/model';

export interface EnvelopeParts {
  id: string;
  type: string;
  environment: Environment;
  /** Epoch ms; written as ISO 8601 UTC with milliseconds. */
  createdAt: number;
  /** One JSON value, space around it cut off: a slice that a scan has found. */
  data: Uint8Array;
}

const encoder = new TextEncoder();

/** The `standard` envelope: `{"id","type","environment","created_at","data":<the slice>}` (R-PUB-9). */
export function buildEnvelope(parts: EnvelopeParts): Uint8Array {
  const { id, type, environment, createdAt, data } = parts;
  const head = JSON.stringify({ id, type, environment, created_at: new Date(createdAt).toISOString() });
  const prefix = encoder.encode(`${head.slice(0, -1)},"data":`);
  const out = new Uint8Array(prefix.length + data.length + 1);
  out.set(prefix);
  out.set(data, prefix.length);
  out[out.length - 1] = 0x7d;
  return out;
}

/** The bytes that every attempt will send: in the envelope, or, with `none`, the published ones alone (R-PUB-9). */
export function buildSentBytes(mode: 'standard' | 'none', parts: EnvelopeParts): Uint8Array {
  return mode === 'none' ? parts.data : buildEnvelope(parts);
}
