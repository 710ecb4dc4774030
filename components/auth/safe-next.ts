const START = '/';
/** Stands for our own origin; what resolves to another leaves the console. */
const HERE = 'https://here.invalid';

/** A path that is another host once it is written out, the sign-in itself, or no page. */
const LEADS_AWAY = /^\/(\/|(sign-in|api|_next)(\/|$))/;

/**
 * Where to go after signing in: `next` when it is a path of this console, else the start. Never another origin
 * (`//host`, `/\host`, `https:`), never back to the sign-in or to an answer for programs.
 */
export function safeNext(next: unknown): string {
  if (typeof next !== 'string' || !/^\/(?![/\\])/.test(next) || hasControl(next)) return START;
  if (!URL.canParse(next, HERE)) return START;
  const url = new URL(next, HERE);
  if (url.origin !== HERE || LEADS_AWAY.test(url.pathname)) return START;
  return url.pathname + url.search + url.hash;
}

function hasControl(text: string): boolean {
  return Array.from(text).some((char) => char < ' ' || char === '\u007f');
}
