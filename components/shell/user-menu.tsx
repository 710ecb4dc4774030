'use client';

import { Menu, useMantineColorScheme } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconCheck } from '@tabler/icons-react';
import Link from 'next/link';
import type { Me } from '@/server/services/contract';
import { t } from '../messages';
import { setZone, useZone } from '../ui/clock';
import classes from './header.module.css';
import { openHelp } from './keyboard-help';
import { SCHEMES } from './scheme-menu';

async function signOut(): Promise<void> {
  const answer = await fetch('/api/auth/sign-out', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  }).catch(() => null);
  if (answer?.ok) window.location.assign('/sign-in');
  else notifications.show({ color: 'bad', message: t.shell.user.signOutFailed });
}

function initials(name: string): string {
  const words = name.trim().split(/\s+/);
  const letters = words.length > 1 ? [words[0], words.at(-1)] : [words[0]];
  return letters.map((word) => Array.from(word ?? '')[0]?.toUpperCase() ?? '').join('');
}

const check = <IconCheck className={classes.small} aria-hidden="true" />;

export function UserMenu({ user }: { user: Me['user'] }) {
  const zone = useZone();
  const { setColorScheme } = useMantineColorScheme();
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <button type="button" className={classes.user} aria-label={t.shell.user.menu(user.name)}>
          {initials(user.name)}
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{user.email}</Menu.Label>
        <Menu.Divider />
        <Menu.Label>{t.shell.zone.label}</Menu.Label>
        <Menu.Item rightSection={zone === 'local' ? check : null} onClick={() => setZone('local')}>
          {t.shell.zone.local}
        </Menu.Item>
        <Menu.Item rightSection={zone === 'utc' ? check : null} onClick={() => setZone('utc')}>
          {t.shell.zone.utc}
        </Menu.Item>
        <Menu.Divider />
        <div className={classes.phoneOnly}>
          <Menu.Label>{t.shell.scheme.label}</Menu.Label>
          {SCHEMES.map(({ value }) => (
            <Menu.Item key={value} onClick={() => setColorScheme(value)}>
              {t.shell.scheme[value]}
            </Menu.Item>
          ))}
          <Menu.Divider />
        </div>
        {user.platformRole ? (
          <Menu.Item component={Link} href="/support">
            {t.shell.items.support}
          </Menu.Item>
        ) : null}
        <Menu.Item rightSection={<kbd>?</kbd>} onClick={openHelp}>
          {t.shell.help.open}
        </Menu.Item>
        <Menu.Item onClick={signOut}>{t.shell.user.signOut}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
