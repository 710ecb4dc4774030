import type { SignatureScheme } from '@/server/core/policy';
import { SCHEME_FACTS } from './scheme';

const NOTE = `# headers: a mapping that ignores case, such as request.headers of Flask or Django.
# body: the bytes as they came, before any parsing.
def verify(headers, body: bytes, secret: str) -> bool:`;

const recent = (time: string) => `${time}.isdigit() and abs(time.time() - int(${time})) <= 300`;

/** A function for Python 3.9 and later. */
export function pythonSnippet(scheme: SignatureScheme): string {
  const { id, timestamp, signature } = SCHEME_FACTS[scheme];
  const header = (name: string | null) => `headers.get("${name}", "")`;
  switch (scheme) {
    case 'standard-webhooks':
      return `import base64, hashlib, hmac, time

${NOTE}
    event_id, at = ${header(id)}, ${header(timestamp)}
    if not (${recent('at')}):
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    mac = hmac.new(key, f"{event_id}.{at}.".encode() + body, hashlib.sha256)
    expected = b"v1," + base64.b64encode(mac.digest())
    parts = ${header(signature)}.split(" ")
    return any(hmac.compare_digest(part.encode(), expected) for part in parts)`;
    case 'timestamped':
      return `import hashlib, hmac, time

${NOTE}
    at = ${header(timestamp)}
    if not (${recent('at')}):
        return False
    expected = hmac.new(secret.encode(), f"{at}.".encode() + body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(${header(signature)}.encode(), expected.encode())`;
    case 't-v1':
      return `import hashlib, hmac, time

${NOTE}
    parts = [part.partition("=") for part in ${header(signature)}.split(",")]
    at = next((value for name, _, value in parts if name == "t"), "")
    if not (${recent('at')}):
        return False
    expected = hmac.new(secret.encode(), f"{at}.".encode() + body, hashlib.sha256).hexdigest()
    given = [value for name, _, value in parts if name == "v1"]
    return any(hmac.compare_digest(one.encode(), expected.encode()) for one in given)`;
    case 'body':
      return `import hashlib, hmac

${NOTE}
    expected = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    given = ${header(signature)}.removeprefix("sha256=")
    return hmac.compare_digest(given.encode(), expected.encode())
# It carries no time: what protects you from a repeated request is the event's id in ${id}.`;
    default:
      return scheme satisfies never;
  }
}
