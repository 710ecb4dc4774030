'use client';

import { Spotlight, spotlight } from '@mantine/spotlight';
import { IconArrowRight, IconSearch } from '@tabler/icons-react';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { t } from '../messages';
import classes from './header.module.css';
import { NAVIGATION, pathOfId, placePath } from './navigation-items';
import { usePlace } from './place';

export function JumpButton() {
  return (
    <button type="button" className={classes.jump} onClick={spotlight.open} aria-label={t.shell.jump.open}>
      <IconSearch className={classes.small} aria-hidden="true" />
      <span className={classes.jumpWord}>{t.shell.jump.open}</span>
      <kbd className={classes.jumpKey}>{t.shell.jump.key}</kbd>
    </button>
  );
}

/** The palette: a page by name, or any id by pasting it. */
export function JumpPalette() {
  const place = usePlace();
  const router = useRouter();
  const [query, setQuery] = useState('');
  const idPath = pathOfId(query, place);
  const pages = NAVIGATION.filter((item) => item.label.toLowerCase().includes(query.trim().toLowerCase()));
  return (
    <Spotlight.Root
      query={query}
      onQueryChange={setQuery}
      shortcut={['mod + K']}
      transitionProps={{ duration: 120, transition: 'fade' }}
      attributes={{ content: { 'aria-label': t.shell.jump.open } }}
      centered={false}
      yOffset="16dvh"
      classNames={{ content: classes.palette, search: classes.paletteInput, action: classes.paletteAction }}
      overlayProps={{ backgroundOpacity: 1, color: 'var(--shade)' }}
    >
      <Spotlight.Search
        placeholder={t.shell.jump.placeholder}
        aria-label={t.shell.jump.open}
        leftSection={<IconSearch className={classes.icon} aria-hidden="true" />}
      />
      <Spotlight.ActionsList>
        {idPath ? (
          <Spotlight.Action
            label={t.shell.jump.goTo(query.trim())}
            leftSection={<IconArrowRight className={classes.icon} aria-hidden="true" />}
            onClick={() => router.push(idPath)}
          />
        ) : (
          pages.map(({ page, label, icon: Icon }) => (
            <Spotlight.Action
              key={page}
              label={label}
              leftSection={<Icon className={classes.icon} stroke={1.5} aria-hidden="true" />}
              onClick={() => router.push(placePath(place, page))}
            />
          ))
        )}
        {!idPath && pages.length === 0 ? <Spotlight.Empty>{t.shell.jump.nothing}</Spotlight.Empty> : null}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
}
