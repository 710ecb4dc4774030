import type { PublishedEvent, PublishResult, PublishUnit } from '@/server/ports/store';
import { cleanText } from './clean';
import { type Client, execute, select } from './connect';
import { scopeName } from './scope-lock';

type Key = NonNullable<PublishUnit['idempotency']>;

/** What two units that share a key may not share: a transaction. */
export function keyName({ idempotency }: PublishUnit): string | null {
  return idempotency === undefined ? null : `${scopeName(idempotency)}/${idempotency.key}`;
}

interface StoredKey {
  appId: number;
  environment: string;
  key: string;
  contentHash: string;
  status: number;
  body: string;
}

const storedName = (stored: Pick<StoredKey, 'appId' | 'environment' | 'key'>) =>
  `${scopeName(stored)}/${stored.key}`;

// In one order, so that two transactions which take the same keys wait for each other and never in a circle.
const TAKE = `INSERT INTO idempotency_keys (app_id, environment, key, content_hash, status, body, created_at)
  SELECT x.app_id, x.environment, x.key, x.content_hash, 0, '', x.created_at
  FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::bigint[])
    AS x(app_id, environment, key, content_hash, created_at)
  ORDER BY x.app_id, x.environment, x.key
  ON CONFLICT DO NOTHING RETURNING app_id AS "appId", environment, key`;
const STORED = `SELECT k.app_id AS "appId", k.environment, k.key, k.content_hash AS "contentHash", k.status, k.body
  FROM unnest($1::bigint[], $2::text[], $3::text[]) AS x(app_id, environment, key)
  JOIN idempotency_keys k ON k.app_id = x.app_id AND k.environment = x.environment AND k.key = x.key`;
const ANSWER = `UPDATE idempotency_keys k SET status = x.status, body = x.body
  FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[], $5::text[])
    AS x(app_id, environment, key, status, body)
  WHERE k.app_id = x.app_id AND k.environment = x.environment AND k.key = x.key`;

const placesOf = (keys: readonly Key[]) => [
  keys.map(({ appId }) => appId),
  keys.map(({ environment }) => environment),
  keys.map(({ key }) => key),
];

function answerOf({ contentHash }: Key, stored: StoredKey | undefined): PublishResult {
  if (stored === undefined || stored.contentHash !== contentHash) return { kind: 'conflict' };
  return { kind: 'replayed', status: stored.status, body: stored.body };
}

/** R-PUB-5: the unique index decides. What the units whose key is taken already are answered with. */
export async function takeKeys(
  client: Client,
  units: readonly PublishUnit[],
): Promise<ReadonlyMap<PublishUnit, PublishResult>> {
  const answered = new Map<PublishUnit, PublishResult>();
  const keyed = units.flatMap((unit) =>
    unit.idempotency === undefined ? [] : [{ unit, key: unit.idempotency }],
  );
  if (keyed.length === 0) return answered;
  const keys = keyed.map(({ key }) => key);
  const made = await select<StoredKey>(client, TAKE, [
    ...placesOf(keys),
    keys.map(({ contentHash }) => contentHash),
    keys.map(({ createdAt }) => createdAt),
  ]);
  const own = new Set(made.map(storedName));
  const others = keyed.filter(({ key }) => !own.has(storedName(key)));
  if (others.length === 0) return answered;
  const found = await select<StoredKey>(client, STORED, placesOf(others.map(({ key }) => key)));
  const stored = new Map(found.map((row) => [storedName(row), row]));
  for (const { unit, key } of others) answered.set(unit, answerOf(key, stored.get(storedName(key))));
  return answered;
}

/** Writes each answer beside what it protects. */
export async function writeAnswers(
  client: Client,
  published: ReadonlyMap<PublishUnit, readonly PublishedEvent[]>,
): Promise<void> {
  const answers = [...published].flatMap(([{ idempotency }, events]) =>
    idempotency === undefined ? [] : [{ key: idempotency, answer: idempotency.answer(events) }],
  );
  if (answers.length === 0) return;
  await execute(client, ANSWER, [
    ...placesOf(answers.map(({ key }) => key)),
    answers.map(({ answer }) => answer.status),
    answers.map(({ answer }) => cleanText(answer.body)),
  ]);
}
