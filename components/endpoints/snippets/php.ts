import type { SignatureScheme } from '@/server/core/policy';
import { SCHEME_FACTS } from './scheme';

const HEAD = `<?php
// $headers: array_change_key_case(getallheaders()). $body: file_get_contents('php://input').
function verify(array $headers, string $body, string $secret): bool {`;

const recent = (time: string) => `ctype_digit(${time}) && abs(time() - (int) ${time}) <= 300`;

/** A function for PHP 8. */
export function phpSnippet(scheme: SignatureScheme): string {
  const { id, timestamp, signature } = SCHEME_FACTS[scheme];
  const header = (name: string | null) => `$headers['${name?.toLowerCase()}'] ?? ''`;
  switch (scheme) {
    case 'standard-webhooks':
      return `${HEAD}
    $id = ${header(id)};
    $time = ${header(timestamp)};
    if (!(${recent('$time')})) return false;
    $key = base64_decode(preg_replace('/^whsec_/', '', $secret));
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$time.$body", $key, true));
    foreach (explode(' ', ${header(signature)}) as $part) {
        if (hash_equals($expected, $part)) return true;
    }
    return false;
}`;
    case 'timestamped':
      return `${HEAD}
    $time = ${header(timestamp)};
    if (!(${recent('$time')})) return false;
    $expected = hash_hmac('sha256', "$time.$body", $secret);
    return hash_equals($expected, ${header(signature)});
}`;
    case 't-v1':
      return `${HEAD}
    $value = ${header(signature)};
    $time = preg_match('/(?:^|,)t=(\\d+)/', $value, $found) ? $found[1] : '';
    if (!(${recent('$time')})) return false;
    $expected = 'v1=' . hash_hmac('sha256', "$time.$body", $secret);
    foreach (explode(',', $value) as $part) {
        if (hash_equals($expected, $part)) return true;
    }
    return false;
}`;
    case 'body':
      return `${HEAD}
    $expected = hash_hmac('sha256', $body, $secret);
    return hash_equals($expected, preg_replace('/^sha256=/', '', ${header(signature)}));
}
// It carries no time: what protects you from a repeated request is the event's id in ${id}.`;
    default:
      return scheme satisfies never;
  }
}
