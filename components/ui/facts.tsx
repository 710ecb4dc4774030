import type { ReactNode } from 'react';
import classes from './frames.module.css';

export interface Fact {
  name: string;
  value: ReactNode;
}

/** Names and values; what is null is left out rather than shown empty. */
export function Facts({ facts, columns = 1 }: { facts: readonly (Fact | null)[]; columns?: 1 | 2 }) {
  return (
    <dl className={classes.facts} data-columns={columns}>
      {facts
        .filter((fact): fact is Fact => fact !== null)
        .map((fact) => (
          <FactRow key={fact.name} fact={fact} />
        ))}
    </dl>
  );
}

function FactRow({ fact }: { fact: Fact }) {
  return (
    <>
      <dt>{fact.name}</dt>
      <dd>{fact.value}</dd>
    </>
  );
}
