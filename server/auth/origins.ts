// What of the accounts the edge may know without opening a store.

const COOKIE = 'session_token';

/** Begin of the names of our cookies; `__Host-` binds them to this origin and to https (D13). */
export function cookiePrefix(baseURL: string): string {
  return baseURL.startsWith('https:') ? '__Host-hookladder' : 'hookladder';
}

/** Name of the cookie that holds a session. */
export function sessionCookieName(baseURL: string): string {
  return `${cookiePrefix(baseURL)}.${COOKIE}`;
}

/** Origins from which the console may sign in: its own and, on this machine, the other names of the loopback. */
export function trustedOrigins(baseURL: string): readonly string[] {
  const url = new URL(baseURL);
  const names = ['localhost', '127.0.0.1', '[::1]'];
  if (!names.includes(url.hostname)) return [url.origin];
  const port = url.port === '' ? '' : `:${url.port}`;
  return names.map((name) => `${url.protocol}//${name}${port}`);
}
