'use client';

import { Button } from '@mantine/core';
import { signIn as t } from './messages';
import classes from './sign-in.module.css';

export interface DemoAccount {
  role: 'merchant' | 'support';
  email: string;
  password: string;
}

export interface DemoAccountsProps {
  accounts: readonly DemoAccount[];
  busy: boolean;
  onChoose: (account: DemoAccount) => void;
}

/** The demo's accounts, to be read and to be used with one press. */
export function DemoAccounts({ accounts, busy, onChoose }: DemoAccountsProps) {
  return (
    <section className={classes.demo} aria-labelledby="demo-accounts">
      <h2 id="demo-accounts">{t.demo.title}</h2>
      <p>{t.demo.note}</p>
      {accounts.map((account) => (
        <div key={account.role} className={classes.account}>
          <div>
            <code>{account.email}</code>
            <code>{account.password}</code>
          </div>
          <Button aria-disabled={busy} onClick={() => onChoose(account)}>
            {t.demo[account.role]}
          </Button>
        </div>
      ))}
    </section>
  );
}
