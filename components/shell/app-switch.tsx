'use client';

import { Menu } from '@mantine/core';
import { IconCheck, IconSelector } from '@tabler/icons-react';
import Link from 'next/link';
import type { AppResource } from '@/server/services/contract';
import { t } from '../messages';
import classes from './header.module.css';
import { placePath } from './navigation-items';
import { usePlace } from './place';

export function AppSwitch({ apps }: { apps: readonly AppResource[] }) {
  const place = usePlace();
  const current = apps.find((app) => app.id === place.appId);
  const name = current?.name ?? place.appId;
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <button type="button" className={classes.app} aria-label={t.shell.appSwitch(name)}>
          <span className={classes.appName}>{name}</span>
          <IconSelector className={classes.small} aria-hidden="true" />
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t.shell.apps}</Menu.Label>
        {apps.map((app) => (
          <Menu.Item
            key={app.id}
            component={Link}
            href={placePath({ ...place, appId: app.id }, 'deliveries')}
            rightSection={
              app.id === place.appId ? <IconCheck className={classes.small} aria-hidden="true" /> : null
            }
          >
            {app.name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
