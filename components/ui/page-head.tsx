import type { ReactNode } from 'react';
import classes from './frames.module.css';

/** A page's name, and to the right what can be done with the whole of it. */
export function PageHead({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <header className={classes.head}>
      <h1 className={classes.title}>{title}</h1>
      {children ? <div className={classes.beside}>{children}</div> : null}
    </header>
  );
}

/** A titled part of a page; `beside` stands at the right end of the title's line. */
export function Section(props: { title: string; id?: string; beside?: ReactNode; children: ReactNode }) {
  return (
    <section className={classes.section} id={props.id} aria-label={props.title}>
      <div className={classes.sectionHead}>
        <h2>{props.title}</h2>
        {props.beside ? <div className={classes.beside}>{props.beside}</div> : null}
      </div>
      {props.children}
    </section>
  );
}
