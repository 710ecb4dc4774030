/** Code that a receiver can paste: the signature's check in four languages, for each scheme. */
import type { SignatureScheme } from '@/server/core/policy';
import { goSnippet } from './snippets/go';
import { nodeSnippet } from './snippets/node';
import { phpSnippet } from './snippets/php';
import { pythonSnippet } from './snippets/python';

export const LANGUAGES = ['node', 'python', 'php', 'go'] as const;
export type Language = (typeof LANGUAGES)[number];

export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = {
  node: 'Node',
  python: 'Python',
  php: 'PHP',
  go: 'Go',
};

/** The check with the scheme's header names filled in; the secret is an argument, never part of the text. */
export function verifySnippet(language: Language, scheme: SignatureScheme): string {
  switch (language) {
    case 'node':
      return nodeSnippet(scheme);
    case 'python':
      return pythonSnippet(scheme);
    case 'php':
      return phpSnippet(scheme);
    case 'go':
      return goSnippet(scheme);
    default:
      return language satisfies never;
  }
}
