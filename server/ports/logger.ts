/**
 * Invariant: a line names what happened and holds no secret, no payload and no control character (D36).
 */

/** Structured log lines. `event` is a stable, short name; `fields` are redacted by the adapter. */
export interface Logger {
  info(event: string, fields?: object): void;
  warn(event: string, fields?: object): void;
  error(event: string, fields?: object): void;
}
