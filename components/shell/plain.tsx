import type { ReactNode } from 'react';
import frames from '../ui/frames.module.css';
import { Logo } from './logo';
import classes from './shell.module.css';

/** A page without the frame: one thing to say, and at most one to do. */
export function Plain({ title, children }: { title: string; children: ReactNode }) {
  return (
    <main className={classes.plain}>
      <Logo />
      <div className={frames.notice}>
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  );
}
