'use client';

import { ActionIcon, Menu, useMantineColorScheme } from '@mantine/core';
import { IconCircleHalf2, IconDeviceDesktop, IconMoon, IconSun } from '@tabler/icons-react';
import { t } from '../messages';
import classes from './header.module.css';

/** On a phone the header has no room for it: the user menu holds it there. */
export const SCHEMES = [
  { value: 'auto', icon: IconDeviceDesktop },
  { value: 'light', icon: IconSun },
  { value: 'dark', icon: IconMoon },
] as const;

export function SchemeMenu() {
  const { setColorScheme } = useMantineColorScheme();
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon
          className={classes.scheme}
          aria-label={t.shell.scheme.label}
          data-tip={t.shell.scheme.label}
        >
          <IconCircleHalf2 className={classes.icon} aria-hidden="true" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {SCHEMES.map(({ value, icon: Icon }) => (
          <Menu.Item
            key={value}
            leftSection={<Icon className={classes.small} aria-hidden="true" />}
            onClick={() => setColorScheme(value)}
          >
            {t.shell.scheme[value]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
