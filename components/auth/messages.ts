import { count } from '../messages/plural';

/** Every word of the way in. */
export const signIn = {
  pageTitle: 'Sign in',
  heading: 'Sign in to Hookladder',
  lead: 'What broke, what was sent, what happens next.',
  email: 'Mail address',
  password: 'Password',
  showPassword: 'Show the password',
  submit: 'Sign in',
  submitting: 'Signing in',
  noAccount: 'No account? An admin of your organization makes one.',
  errors: {
    noEmail: 'Write your mail address.',
    noPassword: 'Write your password.',
    badEmail: 'This is not a mail address. One looks like name@example.com.',
    wrong: 'Mail address or password is wrong. What you typed is kept.',
    tooMany: (seconds: number) => `Too many tries. Wait ${count(seconds, 'second')}, then try again.`,
    origin: (origin: string) =>
      `This page was opened under another address than the server knows. Open ${origin}.`,
    unreachable: 'The server cannot be reached. What you typed is kept; try again.',
    failed: 'The server met an error of its own and has recorded it. Try again.',
  },
  demo: {
    title: 'This is the demo',
    note: 'These accounts were made for this folder alone.',
    merchant: 'Sign in as merchant',
    support: 'Sign in as support',
  },
} as const;
