import type { ReactNode } from 'react';
import classes from './frames.module.css';

export interface DetailFrameProps {
  /** The way back. */
  back?: ReactNode;
  /** Its name, on a page of its own; a side panel has it in its head. */
  title?: string;
  /** Beside the name: the status, the id. */
  marks: ReactNode;
  /** What is so, and what will happen. Before any table. */
  sentence: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

/** A thing on its own: the sentence first, then what can be done, then the rest. */
export function DetailFrame({ back, title, marks, sentence, actions, children }: DetailFrameProps) {
  return (
    <article className={classes.detail}>
      <header className={classes.detailHead}>
        {back ? <nav className={classes.crumbs}>{back}</nav> : null}
        <div className={classes.names}>
          {title ? <h1 className={classes.title}>{title}</h1> : null}
          {marks}
        </div>
        <p className={classes.sentence}>{sentence}</p>
        {actions ? <div className={classes.actions}>{actions}</div> : null}
      </header>
      {children}
    </article>
  );
}
