import pino, { type DestinationStream } from 'pino';
import { escapeControls, redactFields } from '@/server/core/redact';
import type { Clock } from '@/server/ports/clock';
import type { Logger } from '@/server/ports/logger';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

export interface LogOptions {
  level?: LogLevel;
  clock: Pick<Clock, 'now'>;
  /** Where lines go; stdout unless told. */
  destination?: DestinationStream;
  /** Fields of every line, such as the process's role. */
  base?: object;
}

/** JSON lines, one per event: `{"level","time","event",…}`; secrets, payloads and controls never get in (D36). */
export function createLogger({ level = 'info', clock, destination, base = {} }: LogOptions): Logger {
  const log = pino(
    {
      level,
      base: redactFields(base),
      messageKey: 'event',
      timestamp: () => `,"time":"${new Date(clock.now()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination ?? pino.destination({ dest: 1, sync: true }),
  );
  const taken = new Set(['level', 'time', 'event', ...Object.keys(base)]);
  const write =
    (at: 'info' | 'warn' | 'error') =>
    (event: string, fields: object = {}) => {
      if (log.isLevelEnabled(at)) log[at](withoutTaken(redactFields(fields), taken), escapeControls(event));
    };
  return { info: write('info'), warn: write('warn'), error: write('error') };
}

/** A field that bears the name of one of the line's own keeps its value under another name: `event_`. */
function withoutTaken(fields: Record<string, unknown>, taken: ReadonlySet<string>): Record<string, unknown> {
  const names = Object.keys(fields);
  if (!names.some((name) => taken.has(name))) return fields;
  return Object.fromEntries(names.map((name) => [taken.has(name) ? `${name}_` : name, fields[name]]));
}
