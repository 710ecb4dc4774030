// What a password must be (D10): 8 to 128 characters, kept whole, no composition rules, not a common one, not
// made of the words that stand around it. Length counts characters, not code units.

export const PASSWORD_MIN = 8;
export const PASSWORD_MAX = 128;

export type PasswordProblem = 'too_short' | 'too_long' | 'common' | 'context';

/** What a person reads about each problem. */
export const PASSWORD_PROBLEMS: Readonly<Record<PasswordProblem, string>> = {
  too_short: `Choose a password of at least ${PASSWORD_MIN} characters; 15 or more is better.`,
  too_long: `Choose a password of at most ${PASSWORD_MAX} characters.`,
  common: 'This password is on every list of common ones. Choose another.',
  context: 'This password is made of your name, your mail address or this product. Choose another.',
};

/** The commonest passwords of 8 and more characters in published breaches, lower case, digits of a tail cut off. */
const COMMON = new Set(
  [
    'password passwort passw0rd p@ssword p@ssw0rd pa55word motdepasse contraseña',
    'qwertyui qwertyuiop qwerty1234 qwerty asdfghjk asdfghjkl zxcvbnm zxcvbnm, 1qaz2wsx 1q2w3e4r 1q2w3e4r5t',
    'qazwsxedc q1w2e3r4 q1w2e3r4t5 qwer1234 asdf1234 abcd1234 abc12345 a1b2c3d4 abcdefgh abcdefg',
    'iloveyou princess sunshine football baseball superman michelle jennifer trustno1 whatever',
    'starwars computer internet letmein welcome monkey dragon master shadow freedom samantha',
    'administrator admin administ root changeme default secret guest test testtest demodemo',
    'changeit letmein123 charlie jonathan jordan23 liverpool chelsea arsenal barcelona corvette',
    'mercedes victoria elizabeth nicholas alexander danielle hello helloworld killer blink182 mustang',
    'pokemon naruto metallica slipknot spiderman batman cheese chocolate butterfly purple flower',
    'google facebook linkedin dropbox adobe123 photoshop samsung nintendo playstation minecraft',
  ]
    .join(' ')
    .split(' '),
);
const PRODUCT_WORDS = ['hookladder', 'webhook', 'webhooks'];

/** Whose password it is: the words that it must not be made of. */
export interface PasswordContext {
  email: string;
  name: string;
}

/** The first problem of a password, or null. D10. */
export function passwordProblem(password: string, context: PasswordContext): PasswordProblem | null {
  const length = Array.from(password).length;
  if (length < PASSWORD_MIN) return 'too_short';
  if (length > PASSWORD_MAX) return 'too_long';
  const bare = stem(password);
  if (COMMON.has(bare) || COMMON.has(password.toLowerCase()) || isRun(password)) return 'common';
  return contextWords(context).includes(bare) ? 'context' : null;
}

/** Lower case without the tail of digits and signs that people add. */
function stem(text: string): string {
  return text.toLowerCase().replace(/[\d\s!?.,_\-#$*@]+$/u, '');
}

/** One character over and over, or a run of neighbours such as 12345678 and 87654321. */
function isRun(text: string): boolean {
  const codes = Array.from(text, (char) => char.codePointAt(0) ?? 0);
  const steps = new Set(codes.slice(1).map((code, i) => wrapped(code - (codes[i] ?? 0))));
  const [step] = steps;
  return steps.size === 1 && step !== undefined && Math.abs(step) <= 1;
}

/** 9 → 0 goes on as a run. */
function wrapped(step: number): number {
  return Math.abs(step) === 9 ? -Math.sign(step) : step;
}

function contextWords({ email, name }: PasswordContext): readonly string[] {
  const [local = '', domain = ''] = email.toLowerCase().split('@');
  const words = [...PRODUCT_WORDS, email.toLowerCase(), local, domain, domain.split('.')[0] ?? ''];
  const lower = name.toLowerCase();
  return [...words, lower, lower.replaceAll(/\s+/g, ''), ...lower.split(/\s+/)].filter((word) => word !== '');
}
