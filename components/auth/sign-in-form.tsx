'use client';

import { Button, PasswordInput, TextInput } from '@mantine/core';
import { type FormEvent, useRef, useState } from 'react';
import { type DemoAccount, DemoAccounts } from './demo-accounts';
import { LadderPicture } from './ladder-picture';
import { signIn as t } from './messages';
import classes from './sign-in.module.css';
import { missingField, requestSignIn, type SignInProblem } from './sign-in-request';

export interface SignInFormProps {
  /** A path of ours (`safeNext`). */
  next: string;
  /** Origin of PUBLIC_URL. */
  origin: string;
  /** In the demo alone. */
  demo: readonly DemoAccount[];
}

const PROBLEM = 'sign-in-problem';

/** Mail and password. The fields keep what was typed whatever the answer is; the browser's own store fills them. */
export function SignInForm({ next, origin, demo }: SignInFormProps) {
  const form = useRef<HTMLFormElement>(null);
  const email = useRef<HTMLInputElement>(null);
  const password = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState<SignInProblem | null>(null);
  const [busy, setBusy] = useState(false);

  const show = (found: SignInProblem) => {
    setBusy(false);
    setProblem(found);
    const field =
      found.field === 'email' ? email.current : found.field === 'password' ? password.current : null;
    field?.select();
  };

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (busy) return;
    const entry = { email: email.current?.value ?? '', password: password.current?.value ?? '' };
    const missing = missingField(entry);
    if (missing) return show(missing);
    setBusy(true);
    setProblem(null);
    const refused = await requestSignIn(entry, origin);
    if (refused) return show(refused);
    // A whole load: every page is drawn anew for the person who is now signed in.
    window.location.assign(next);
  };

  const fill = (account: DemoAccount) => {
    if (email.current) email.current.value = account.email;
    if (password.current) password.current.value = account.password;
    form.current?.requestSubmit();
  };

  const wrong = (field: SignInProblem['field']) =>
    problem?.field === field ? { error: true, 'aria-describedby': PROBLEM } : {};

  return (
    <div className={classes.column}>
      <div className={classes.head}>
        <LadderPicture />
        <h1>{t.heading}</h1>
        <p>{t.lead}</p>
      </div>
      <form
        ref={form}
        className={classes.sheet}
        method="post"
        action="/api/auth/sign-in/email"
        noValidate
        onSubmit={submit}
      >
        <p className={classes.problem} role="alert" id={PROBLEM}>
          {problem?.message}
        </p>
        <TextInput
          ref={email}
          label={t.email}
          name="email"
          type="email"
          inputMode="email"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={320}
          autoFocus
          {...wrong('email')}
        />
        <PasswordInput
          ref={password}
          label={t.password}
          name="password"
          autoComplete="current-password"
          maxLength={256}
          visibilityToggleButtonProps={{ 'aria-label': t.showPassword }}
          {...wrong('password')}
        />
        <Button type="submit" variant="filled" aria-disabled={busy} aria-busy={busy}>
          {busy ? t.submitting : t.submit}
        </Button>
      </form>
      {demo.length > 0 ? (
        <DemoAccounts accounts={demo} busy={busy} onChoose={fill} />
      ) : (
        <p className={classes.foot}>{t.noAccount}</p>
      )}
    </div>
  );
}
