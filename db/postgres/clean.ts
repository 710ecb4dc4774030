/** PostgreSQL's text holds every character but NUL. */
export function cleanText(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text;
}

/** A backslash that is itself escaped, or an escape that jsonb refuses: NUL and half of a surrogate pair. */
const ESCAPES = /\\\\|\\u(?:0000|d[89a-f][0-9a-f]{2})/g;

/** JSON text (as `JSON.stringify` writes it) that jsonb takes. */
export function cleanJson(json: string): string {
  return json.includes('\\') ? json.replace(ESCAPES, (found) => (found === '\\\\' ? found : '\ufffd')) : json;
}
