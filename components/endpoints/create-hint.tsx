'use client';

import { t } from '../messages';
import { usePlace } from '../shell/place';
import { CopyButton } from '../ui/copy-id';
import { CreateButton } from './create-button';
import { createExample } from './create-curl';
import classes from './endpoints.module.css';

/** What to do where there is no endpoint: the button, and a curl that works once the key is filled in. */
export function CreateHint() {
  const text = createExample(usePlace());
  return (
    <>
      <div className={classes.code}>
        <pre>{text}</pre>
        <CopyButton text={text} what={t.endpoints.emptyStep} />
      </div>
      <CreateButton explained />
    </>
  );
}
