import type { Policy } from '@/server/core/policy';
import { CorruptRow, policyOf, type Raw } from '../sqlite/rows';
import { type Client, select } from './connect';

const KEPT_POLICIES = 5_000;

/** The policies that one transaction needs. */
export interface Policies {
  /** Reads those of `ids` that are not known yet. */
  load(client: Client, ids: Iterable<number>): Promise<void>;
  /** One that was loaded. @throws CorruptRow where there is none, or none that can be read */
  of(id: number): Policy;
}

/**
 * Opens one transaction's policies over a memory of the process: they are immutable and their numbers are never given
 * twice, so what was read once stays true.
 */
export function createPolicyMemory(): () => Policies {
  const memory = new Map<number, Policy>();

  const read = (raw: Raw): Policy | string => {
    try {
      const policy = policyOf(raw);
      if (memory.size >= KEPT_POLICIES) memory.clear();
      memory.set(Number(raw['id']), policy);
      return policy;
    } catch (error) {
      if (error instanceof CorruptRow) return error.message;
      throw error;
    }
  };

  return () => {
    const known = new Map<number, Policy | string>();
    const recall = (id: number): boolean => {
      const remembered = memory.get(id);
      if (remembered !== undefined) known.set(id, remembered);
      return known.has(id);
    };
    return {
      async load(client, ids) {
        const wanted = [...new Set(ids)].filter((id) => !recall(id));
        if (wanted.length === 0) return;
        const text = 'SELECT id, policy FROM policies WHERE id = ANY($1::bigint[])';
        for (const raw of await select<Raw>(client, text, [wanted])) known.set(Number(raw['id']), read(raw));
      },
      of(id) {
        const policy = known.get(id);
        if (policy === undefined) throw new CorruptRow('policy missing');
        if (typeof policy === 'string') throw new CorruptRow(policy);
        return policy;
      },
    };
  };
}
