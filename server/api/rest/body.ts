// Request bodies: read from the stream, so that what is too large is refused while it arrives (R-PUB-8, D26).
import { ServiceError } from '@/server/services/service-error';

export const KIB = 1_024;

/**
 * The whole body, at most `limit` bytes; `content-length` is believed only where it already says too much.
 * @throws ServiceError payload_too_large, unsupported_media_type (compressed)
 */
export async function readBody(request: Request, limit: number): Promise<Uint8Array> {
  const encoding = request.headers.get('content-encoding');
  if (encoding !== null && encoding.toLowerCase() !== 'identity') {
    throw new ServiceError('unsupported_media_type', 'Send the body uncompressed.');
  }
  if (Number(request.headers.get('content-length') ?? '0') > limit) throw tooLarge(limit);
  if (request.body === null) return new Uint8Array();
  const reader = request.body.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.byteLength;
    if (size > limit) {
      await reader.cancel();
      throw tooLarge(limit);
    }
    chunks.push(value);
  }
  const [only] = chunks;
  return chunks.length === 1 && only !== undefined ? only : joined(chunks, size);
}

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.byteLength;
  }
  return whole;
}

function tooLarge(limit: number): ServiceError {
  return new ServiceError('payload_too_large', `The body is larger than ${Math.floor(limit / KIB)} KiB.`);
}

const JSON_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

/** @throws ServiceError unsupported_media_type */
export function requireJson(request: Request): void {
  if (JSON_TYPE.test((request.headers.get('content-type') ?? '').trim())) return;
  throw new ServiceError('unsupported_media_type', 'Send JSON with content-type: application/json.');
}
