/** What a receiver must know of a signature scheme; the test holds it against what the server signs with. */
import type { SignatureScheme } from '@/server/core/policy';

export interface SchemeFacts {
  /** Header names as they are written on the wire. */
  id: string;
  /** Null: the time stands in the signature header, or nowhere. */
  timestamp: string | null;
  signature: string;
}

export const SCHEME_FACTS: Readonly<Record<SignatureScheme, SchemeFacts>> = {
  'standard-webhooks': { id: 'webhook-id', timestamp: 'webhook-timestamp', signature: 'webhook-signature' },
  timestamped: { id: 'X-Webhook-Id', timestamp: 'X-Webhook-Timestamp', signature: 'X-Webhook-Signature' },
  't-v1': { id: 'Webhook-Id', timestamp: null, signature: 'Webhook-Signature' },
  body: { id: 'X-Foxreload-Event-Id', timestamp: null, signature: 'X-Foxreload-Signature' },
};
