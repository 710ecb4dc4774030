// What a thrown thing is to a caller: a refusal with a code, or (null) a bug of ours.
import { type StoreFault, StoreUnavailable } from '@/server/ports/store-unavailable';
import { ServiceError } from './service-error';

/** A caller's own pace is soon again when another process holds the lock; a full disk takes a person. */
const RETRY_AFTER_S: Record<StoreFault, number> = { busy: 1, full: 30, io: 30, closed: 5 };

export function refusalOf(error: unknown): ServiceError | null {
  if (error instanceof ServiceError) return error;
  if (!(error instanceof StoreUnavailable)) return null;
  return new ServiceError(
    'unavailable',
    'The store cannot take this now. Send the same request again shortly.',
    {
      retryAfterS: RETRY_AFTER_S[error.fault],
    },
  );
}
