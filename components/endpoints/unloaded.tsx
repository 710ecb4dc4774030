'use client';

import frames from '../ui/frames.module.css';
import { DetailSkeleton, ErrorState } from '../ui/notices';

/** A page whose thing is not there: still loading, or why it could not be. */
export function Unloaded(props: { title: string; error: unknown; onRetry: () => void }) {
  return (
    <>
      <h1 className={frames.unseen}>{props.title}</h1>
      {props.error ? <ErrorState error={props.error} onRetry={props.onRetry} /> : <DetailSkeleton />}
    </>
  );
}
