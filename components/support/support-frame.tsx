'use client';

import Link from 'next/link';
import type { ReactNode } from 'react';
import type { Me } from '@/server/services/contract';
import { t } from '../messages';
import header from '../shell/header.module.css';
import { KeyboardHelp } from '../shell/keyboard-help';
import { Logo } from '../shell/logo';
import { SchemeMenu } from '../shell/scheme-menu';
import shell from '../shell/shell.module.css';
import { UserMenu } from '../shell/user-menu';
import classes from './support.module.css';

/** The frame of what belongs to no app: the header without app and environment. */
export function SupportFrame({ me, children }: { me: Me; children: ReactNode }) {
  return (
    <>
      <a className={shell.skip} href="#content">
        {t.shell.skip}
      </a>
      <header className={header.header}>
        <Link className={header.home} href="/" aria-label={t.shell.home}>
          <Logo />
          <span className={header.name}>{t.common.product}</span>
        </Link>
        <span className={classes.place}>{t.support.title}</span>
        <div className={header.end}>
          <SchemeMenu />
          <UserMenu user={me.user} />
        </div>
      </header>
      <main className={classes.main} id="content" tabIndex={-1}>
        {children}
      </main>
      <KeyboardHelp />
    </>
  );
}
