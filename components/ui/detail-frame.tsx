import type { ReactNode } from 'react';
import classes from './frames.module.css';

export interface DetailFrameProps {
  /** Where one is: the way back, the status, the id. */
  crumbs: ReactNode;
  /** What is so, and what will happen. Before any table. */
  sentence: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

/** A thing on its own: the sentence first, then what can be done, then the rest. */
export function DetailFrame({ crumbs, sentence, actions, children }: DetailFrameProps) {
  return (
    <article className={classes.detail}>
      <header className={classes.detailHead}>
        <div className={classes.crumbs}>{crumbs}</div>
        <p className={classes.sentence}>{sentence}</p>
        {actions ? <div className={classes.actions}>{actions}</div> : null}
      </header>
      {children}
    </article>
  );
}
