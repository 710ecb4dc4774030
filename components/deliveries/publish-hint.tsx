'use client';

import { t } from '../messages';
import { usePlace } from '../shell/place';
import { CopyButton } from '../ui/copy-id';
import { publishExample } from './curl';
import classes from './deliveries.module.css';

/** A curl that works once the key is filled in. */
export function PublishHint() {
  const { appId, environment } = usePlace();
  const text = publishExample({ appId, environment });
  return (
    <div className={classes.hint}>
      <pre>{text}</pre>
      <CopyButton text={text} what={t.deliveries.emptyStep} />
    </div>
  );
}
