import type { SignatureScheme } from '@/server/core/policy';
import { SCHEME_FACTS } from './scheme';

const HEAD = `import { createHmac, timingSafeEqual } from 'node:crypto';

// headers: names in lower case, as Node gives them. body: the Buffer as it came, before any parsing.`;

const same = 'given.length === expected.length && timingSafeEqual(given, expected)';
const recent = (time: string) => `Math.abs(Date.now() / 1000 - Number(${time})) <= 300`;

/** A function for Node.js: (headers, body, secret) → boolean. */
export function nodeSnippet(scheme: SignatureScheme): string {
  const { id, timestamp, signature } = SCHEME_FACTS[scheme];
  const header = (name: string) => `headers['${name.toLowerCase()}']`;
  switch (scheme) {
    case 'standard-webhooks':
      return `${HEAD}
export function verify(headers, body, secret) {
  const id = ${header(id)};
  const time = ${header(timestamp ?? '')};
  if (!id || !(${recent('time')})) return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const expected = createHmac('sha256', key).update(\`\${id}.\${time}.\`).update(body).digest();
  return (${header(signature)} ?? '').split(' ').some((part) => {
    const given = Buffer.from(part.replace(/^v1,/, ''), 'base64');
    return ${same};
  });
}`;
    case 'timestamped':
      return `${HEAD}
export function verify(headers, body, secret) {
  const time = ${header(timestamp ?? '')};
  if (!(${recent('time')})) return false;
  const expected = createHmac('sha256', secret).update(\`\${time}.\`).update(body).digest();
  const given = Buffer.from(${header(signature)} ?? '', 'hex');
  return ${same};
}`;
    case 't-v1':
      return `${HEAD}
export function verify(headers, body, secret) {
  const parts = (${header(signature)} ?? '').split(',').map((part) => part.split('='));
  const time = parts.find(([name]) => name === 't')?.[1];
  if (!(${recent('time')})) return false;
  const expected = createHmac('sha256', secret).update(\`\${time}.\`).update(body).digest();
  return parts.some(([name, hex]) => {
    const given = Buffer.from(name === 'v1' ? hex : '', 'hex');
    return ${same};
  });
}`;
    case 'body':
      return `${HEAD}
export function verify(headers, body, secret) {
  const expected = createHmac('sha256', secret).update(body).digest();
  const given = Buffer.from((${header(signature)} ?? '').replace(/^sha256=/, ''), 'hex');
  return ${same};
}
// It carries no time: what protects you from a repeated request is the event's id in ${id}.`;
    default:
      return scheme satisfies never;
  }
}
