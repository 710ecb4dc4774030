'use client';

import { Button } from '@mantine/core';
import { t } from '../messages';
import { CopyButton } from '../ui/copy-id';
import frames from '../ui/frames.module.css';
import { Plain } from './plain';

export interface PageErrorProps {
  /** `digest` is what the server's log calls it. */
  error: Error & { digest?: string };
  retry?: () => void;
  reset?: () => void;
}

function ErrorBody({ error, retry, reset }: PageErrorProps) {
  return (
    <>
      <p>{t.common.errors.internal}</p>
      <div className={frames.noticeFoot}>
        <Button onClick={() => (retry ?? reset)?.()}>{t.common.actions.tryAgain}</Button>
        {error.digest ? (
          <span>
            {t.common.requestId(error.digest)}{' '}
            <CopyButton text={error.digest} what={t.common.requestIdName} />
          </span>
        ) : null}
      </div>
    </>
  );
}

/** A page that broke, without the frame. */
export function PageError(props: PageErrorProps) {
  return (
    <Plain title={t.common.errors.title}>
      <ErrorBody {...props} />
    </Plain>
  );
}

/** A page that broke inside the frame, which stays. */
export function FrameError(props: PageErrorProps) {
  return (
    <div className={frames.notice} role="alert">
      <h1>{t.common.errors.title}</h1>
      <ErrorBody {...props} />
    </div>
  );
}
