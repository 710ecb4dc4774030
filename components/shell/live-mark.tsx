'use client';

import { t } from '../messages';
import classes from './header.module.css';
import { type LiveState, useLive } from './live';

const NOTES: Record<LiveState, string> = {
  connected: t.shell.live.connectedNote,
  connecting: t.shell.live.connectingNote,
  paused: t.shell.live.pausedNote,
};

/** Whether changes arrive; pressing it stops and starts them. */
export function LiveMark() {
  const { state, toggle } = useLive();
  return (
    <button
      type="button"
      className={classes.live}
      data-state={state}
      data-tip={NOTES[state]}
      aria-label={t.shell.live[state]}
      aria-pressed={state !== 'paused'}
      onClick={toggle}
    >
      <span className={classes.lamp} aria-hidden="true" />
      <span className={classes.liveWord}>{t.shell.live[state]}</span>
    </button>
  );
}
