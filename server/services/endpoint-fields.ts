// What may be written into an endpoint: its URL, its filter, its own headers.
import { isEventFilter } from '@/server/core/event-filter';
import type { Environment } from '@/server/core/model';
import { checkOwnHeaders, type OwnHeader } from '@/server/core/own-headers';
import type { Policy } from '@/server/core/policy';
import { headersIdentity } from '@/server/core/sealed-identity';
import { headerNamesOf } from '@/server/core/signature';
import { checkUrl } from '@/server/core/url-guard';
import type { Queries } from '@/server/ports/queries';
import type { SealedValue } from '@/server/ports/records';
import type { ServiceDeps } from './deps';
import { invalid, ServiceError } from './service-error';

/**
 * The URL as it is stored; a built-in receiver's is accepted while its token lives (R-ATT-7, R-ATT-8, R-ATT-16).
 * @throws ServiceError unsafe_url, which names the rule and never an address
 */
export async function acceptUrl(
  url: string,
  at: { deps: Pick<ServiceDeps, 'guard'>; queries: Queries; environment: Environment },
): Promise<string> {
  const { deps, queries, environment } = at;
  const context = { ...deps.guard, environment };
  const hopeful = checkUrl(url, { ...context, receiverTokenAlive: () => true });
  const token = hopeful.ok ? hopeful.target.receiverToken : null;
  const alive = token !== null && (await queries.receiver(token)) !== null;
  const verdict = checkUrl(url, { ...context, receiverTokenAlive: () => alive });
  if (verdict.ok) return verdict.url;
  throw new ServiceError('unsafe_url', verdict.message, {
    details: [{ path: 'url', message: `Rule: ${verdict.rule}.` }],
  });
}

/** Each filter once, in the order given. @throws ServiceError invalid_request */
export function acceptTypes(types: readonly string[]): string[] {
  const unique = [...new Set(types)];
  for (const type of unique) {
    if (!isEventFilter(type)) {
      throw invalid(`types.${types.indexOf(type)}`, 'A filter is a type, a prefix with .* behind it, or *.');
    }
  }
  return unique;
}

/** @throws ServiceError invalid_request (R-ATT-1) */
export function acceptHeaders(headers: readonly OwnHeader[], policy: Policy): readonly OwnHeader[] {
  const verdict = checkOwnHeaders(headers, headerNamesOf(policy.signature));
  if (!verdict.ok) throw invalid(`headers.${verdict.index}`, verdict.message);
  return headers;
}

/** Own headers as they are stored: the names in the open, the pairs sealed for this row. */
export function sealHeaders(
  headers: readonly OwnHeader[],
  row: { appId: number; id: number },
  deps: Pick<ServiceDeps, 'secretBox'>,
): { headerNames: string[]; sealedHeaders: SealedValue | null } {
  if (headers.length === 0) return { headerNames: [], sealedHeaders: null };
  const pairs = JSON.stringify(headers.map(({ name, value }) => [name, value]));
  return {
    headerNames: headers.map(({ name }) => name),
    sealedHeaders: deps.secretBox.seal(pairs, headersIdentity({ appId: row.appId, endpointId: row.id })),
  };
}
