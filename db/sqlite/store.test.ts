import Database from 'better-sqlite3';
import type { Store } from '@/server/ports/store';
import { createTestStore } from '@/server/testing/temp-store';
import type { MakeStore } from '../conformance/bed.conformance';
import { describeStore } from '../store.conformance';

const makeStore: MakeStore = async () => {
  const store = await createTestStore();
  const others: Store[] = [];
  const beside = <T>(foreignKeys: 'ON' | 'OFF', work: (db: Database.Database) => T): T => {
    const db = new Database(store.path);
    try {
      db.pragma(`foreign_keys = ${foreignKeys}`);
      return work(db);
    } finally {
      db.close();
    }
  };
  return {
    store,
    async another() {
      const other = await createTestStore({ path: store.path });
      others.push(other);
      return other;
    },
    damage: async (sql, ...values) => void beside('OFF', (db) => db.prepare(sql).run(...values)),
    exec: async (sql, ...values) => void beside('ON', (db) => db.prepare(sql).run(...values)),
    rows: async (sql) => beside('ON', (db) => db.prepare<[], Record<string, unknown>>(sql).all()),
    async close() {
      for (const other of others) await other.close();
      await store.close();
    },
  };
};

describeStore('SQLite', makeStore);
