'use client';

import { Button } from '@mantine/core';
import type { CSSProperties, ReactNode } from 'react';
import { t } from '../messages';
import { CopyButton } from './copy-id';
import { errorFacts } from './error-facts';
import classes from './frames.module.css';

export interface EmptyStateProps {
  title: string;
  children: ReactNode;
  action?: ReactNode;
  /** Room for a command line. */
  wide?: boolean;
}

/** Nothing here yet: what it will be, and what to do next. */
export function EmptyState(props: EmptyStateProps) {
  return (
    <div className={classes.notice} data-wide={props.wide || undefined}>
      <h2>{props.title}</h2>
      <p>{props.children}</p>
      {props.action}
    </div>
  );
}

export function NoMatch({ onClear }: { onClear: () => void }) {
  return (
    <EmptyState
      title={t.common.list.noMatchTitle}
      action={<Button onClick={onClear}>{t.common.actions.clearFilters}</Button>}
    >
      {t.common.list.noMatch}
    </EmptyState>
  );
}

/** A request that failed: what it means, the request's id, and another try where that can help. */
export function ErrorState({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const facts = errorFacts(error);
  return (
    <div className={classes.notice} role="alert">
      <h2>{facts.title}</h2>
      <p>{facts.message}</p>
      <div className={classes.noticeFoot}>
        {facts.canRetry && onRetry ? <Button onClick={onRetry}>{t.common.actions.tryAgain}</Button> : null}
        {facts.requestId ? (
          <span>
            {t.common.requestId(facts.requestId)}{' '}
            <CopyButton text={facts.requestId} what={t.common.requestIdName} />
          </span>
        ) : null}
      </div>
    </div>
  );
}

const BONES = [64, 40, 72, 52, 80, 48, 60, 68] as const;

/** A grey line where a text will be; widths vary so that it reads as text. */
export function Bone({ seed = 0 }: { seed?: number }) {
  const width = { '--bone': `${BONES[seed % BONES.length]}%` } as CSSProperties;
  return <span className={classes.bone} style={width} />;
}

/** A detail while it loads. */
export function DetailSkeleton() {
  return (
    <div className={classes.detail} aria-busy="true">
      <span className={classes.unseen} role="status">
        {t.common.loading}
      </span>
      {BONES.map((width, seed) => (
        <Bone key={width} seed={seed} />
      ))}
    </div>
  );
}
