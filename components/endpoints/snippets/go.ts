import type { SignatureScheme } from '@/server/core/policy';
import { SCHEME_FACTS } from './scheme';

const imports = (...names: string[]) =>
  `package webhook\n\nimport (\n${names.map((name) => `\t"${name}"`).join('\n')}\n)`;

const OPEN = `// body: the bytes as they came, before any parsing.
func Verify(h http.Header, body []byte, secret string) bool {`;

const RECENT = `func recent(at string) bool {
	sec, err := strconv.ParseInt(at, 10, 64)
	age := time.Now().Unix() - sec
	return err == nil && age <= 300 && age >= -300
}`;

const HEX = `func hexMac(key string, parts ...[]byte) string {
	mac := hmac.New(sha256.New, []byte(key))
	for _, part := range parts {
		mac.Write(part)
	}
	return hex.EncodeToString(mac.Sum(nil))
}`;

const HEX_IMPORTS = ['crypto/hmac', 'crypto/sha256', 'encoding/hex', 'net/http'];

/** A package for Go, standard library alone. */
export function goSnippet(scheme: SignatureScheme): string {
  const { id, timestamp, signature } = SCHEME_FACTS[scheme];
  const header = (name: string | null) => `h.Get("${name}")`;
  switch (scheme) {
    case 'standard-webhooks':
      return `${imports('crypto/hmac', 'crypto/sha256', 'encoding/base64', 'net/http', 'strconv', 'strings', 'time')}

${OPEN}
	id, at := ${header(id)}, ${header(timestamp)}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || !recent(at) {
		return false
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + at + "."))
	mac.Write(body)
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for _, part := range strings.Split(${header(signature)}, " ") {
		if hmac.Equal([]byte(part), []byte(expected)) {
			return true
		}
	}
	return false
}

${RECENT}`;
    case 'timestamped':
      return `${imports(...HEX_IMPORTS, 'strconv', 'time')}

${OPEN}
	at := ${header(timestamp)}
	expected := hexMac(secret, []byte(at+"."), body)
	return recent(at) && hmac.Equal([]byte(${header(signature)}), []byte(expected))
}

${HEX}

${RECENT}`;
    case 't-v1':
      return `${imports(...HEX_IMPORTS, 'strconv', 'strings', 'time')}

${OPEN}
	parts := strings.Split(${header(signature)}, ",")
	at := strings.TrimPrefix(parts[0], "t=")
	expected := "v1=" + hexMac(secret, []byte(at+"."), body)
	for _, part := range parts[1:] {
		if recent(at) && hmac.Equal([]byte(part), []byte(expected)) {
			return true
		}
	}
	return false
}

${HEX}

${RECENT}`;
    case 'body':
      return `${imports(...HEX_IMPORTS, 'strings')}

${OPEN}
	given := strings.TrimPrefix(${header(signature)}, "sha256=")
	return hmac.Equal([]byte(given), []byte(hexMac(secret, body)))
}

${HEX}

// It carries no time: what protects you from a repeated request is the event's id in ${id}.`;
    default:
      return scheme satisfies never;
  }
}
