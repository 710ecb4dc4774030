import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { curlCommand, publishExample, shellQuote } from './curl';

it('what came from outside stays one inert word in a shell, whatever it holds', () => {
  const nasty = ["it's", '$(id)', '`id`', "'; id; '", 'a\nb', '\\', '!!', '"', "'''"];
  for (const text of nasty) {
    expect(execFileSync('sh', ['-c', `printf %s ${shellQuote(text)}`], { encoding: 'utf8' })).toBe(text);
  }
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(shellQuote(text).replaceAll("'\\''", '').slice(1, -1)).not.toContain("'");
    }),
  );
});

it('copies the exact body, and says base64 where it is not text', () => {
  const request = {
    url: 'https://shop.example/hook?a=1&b=2',
    contentType: 'application/json',
    body: '{"name":"d\'Arc"}',
    encoding: 'utf8',
    headers: [['webhook-id', 'evt_1']],
  } as const;
  expect(curlCommand(request)).toBe(
    "curl -X POST 'https://shop.example/hook?a=1&b=2' \\\n  -H 'content-type: application/json' \\\n  -H 'webhook-id: evt_1' \\\n  --data-binary '{\"name\":\"d'\\''Arc\"}'",
  );
  expect(curlCommand({ ...request, body: 'AP8=', encoding: 'base64' })).toMatch(
    /^base64 -d <<< 'AP8=' \| curl/,
  );
});

it('the first publish is a command that a shell reads as one, with the key left to the reader', () => {
  const text = publishExample({ appId: 'app_1', environment: 'test' });
  const printed = execFileSync('sh', ['-c', `curl() { printf '%s\\n' "$@"; }; ${text}`], {
    encoding: 'utf8',
    env: { NODE_ENV: 'test', HOOKLADDER_URL: 'http://h', HOOKLADDER_TEST_KEY: 'k' },
  }).split('\n');
  expect(printed.slice(0, 4)).toEqual(['-X', 'POST', 'http://h/dev/apps/app_1/events', '-H']);
  expect(JSON.parse(printed[8] ?? '')).toMatchObject({ type: 'payment.status_changed' });
});
