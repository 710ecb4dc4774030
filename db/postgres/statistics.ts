import type pg from 'pg';

/** Rows after which the planner is told what the tables hold now, and how much later each time. */
const FIRST_AFTER_ROWS = 500;
const GROWTH = 4;
const LATEST_AFTER_ROWS = 1_000_000;

/**
 * Tells PostgreSQL's planner what the tables hold while they grow. Autovacuum does so too, but a minute late, and until
 * then a table that has just been filled is planned as if it were empty: foreign keys are checked along the wrong index,
 * forty times slower (measured).
 */
export interface Statistics {
  /** So many rows were written. */
  grew(rows: number): void;
  /** Waits for what runs. */
  close(): Promise<void>;
}

export function createStatistics(
  pool: pg.Pool,
  onWarning?: (event: string, fields: object) => void,
): Statistics {
  let written = 0;
  let threshold = FIRST_AFTER_ROWS;
  let running: Promise<void> | null = null;

  const analyze = async () => {
    try {
      await pool.query('ANALYZE events, deliveries, attempts, endpoints, breakers');
    } catch (error) {
      onWarning?.('statistics_not_renewed', { error: String(error) });
    }
    running = null;
  };

  return {
    grew(rows) {
      written += rows;
      if (written < threshold || running !== null) return;
      written = 0;
      threshold = Math.min(threshold * GROWTH, LATEST_AFTER_ROWS);
      running = analyze();
    },
    async close() {
      await running;
    },
  };
}
