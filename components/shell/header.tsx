'use client';

import Link from 'next/link';
import type { Me } from '@/server/services/contract';
import { t } from '../messages';
import { AppSwitch } from './app-switch';
import { EnvironmentSwitch } from './environment-switch';
import classes from './header.module.css';
import { JumpButton } from './jump';
import { LiveMark } from './live-mark';
import { Logo } from './logo';
import { placePath } from './navigation-items';
import { usePlace } from './place';
import { SchemeMenu } from './scheme-menu';
import { UserMenu } from './user-menu';

/** Who, where, in which environment; and the way to everything else. */
export function Header({ me }: { me: Me }) {
  const place = usePlace();
  const isMine = me.apps.some((app) => app.id === place.appId);
  return (
    <header className={classes.header} data-environment={place.environment}>
      <Link
        className={classes.home}
        href={isMine ? placePath(place, 'deliveries') : '/'}
        aria-label={t.shell.home}
      >
        <Logo />
        <span className={classes.name}>{t.common.product}</span>
      </Link>
      {isMine ? (
        <AppSwitch apps={me.apps} />
      ) : (
        <Link className={classes.app} href="/support">
          {t.shell.items.support}
        </Link>
      )}
      <EnvironmentSwitch />
      {me.demo ? (
        <span className={classes.demo} data-tip={t.shell.demoNote}>
          {t.shell.demo}
        </span>
      ) : null}
      <div className={classes.end}>
        <JumpButton />
        <LiveMark />
        <SchemeMenu />
        <UserMenu user={me.user} />
      </div>
    </header>
  );
}
