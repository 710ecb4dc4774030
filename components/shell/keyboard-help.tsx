'use client';

import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { useEffect } from 'react';
import { t } from '../messages';
import { Dialog } from '../ui/dialog';
import classes from './shell.module.css';

const OPEN = 'hookladder-help';

export function openHelp(): void {
  window.dispatchEvent(new Event(OPEN));
}

export function KeyboardHelp() {
  const [opened, { open, close }] = useDisclosure(false);
  useHotkeys([
    ['shift+?', open, { usePhysicalKeys: false }],
    ['?', open],
  ]);
  useEffect(() => {
    window.addEventListener(OPEN, open);
    return () => window.removeEventListener(OPEN, open);
  }, [open]);
  return (
    <Dialog opened={opened} onClose={close} title={t.shell.help.title}>
      <dl className={classes.keys}>
        {t.shell.help.keys.map(([key, meaning]) => (
          <div key={key}>
            <dt>
              {key.split(/\s+/).map((part) => (
                <kbd key={part}>{part}</kbd>
              ))}
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
