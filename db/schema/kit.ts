import type { sqliteKit } from './kit-sqlite';

/**
 * The columns of which both databases' tables are built. The types are SQLite's; the other dialect's kit has the
 * same entries and is cast to this type once.
 */
export type Kit = typeof sqliteKit;
