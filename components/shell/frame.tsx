'use client';

import type { ReactNode } from 'react';
import type { Me } from '@/server/services/contract';
import { t } from '../messages';
import { Header } from './header';
import { JumpPalette } from './jump';
import { KeyboardHelp } from './keyboard-help';
import { LiveProvider } from './live';
import { Navigation } from './navigation';
import type { Place } from './navigation-items';
import { PlaceProvider } from './place';
import classes from './shell.module.css';

/** The frame around every page of an app and environment. */
export function Frame({ me, place, children }: { me: Me; place: Place; children: ReactNode }) {
  return (
    <PlaceProvider place={place}>
      <LiveProvider>
        <a className={classes.skip} href="#content">
          {t.shell.skip}
        </a>
        <Header me={me} />
        <div className={classes.body}>
          <Navigation />
          <main className={classes.main} id="content" tabIndex={-1}>
            {children}
          </main>
        </div>
        <JumpPalette />
        <KeyboardHelp />
      </LiveProvider>
    </PlaceProvider>
  );
}
