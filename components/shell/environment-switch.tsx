'use client';

import Link from 'next/link';
import { usePathname } from 'next/navigation';
import { ENVIRONMENTS } from '@/server/core/model';
import { t } from '../messages';
import classes from './header.module.css';
import { inEnvironment } from './navigation-items';
import { usePlace } from './place';

/** Test or live: two links, since the environment is a part of the address. */
export function EnvironmentSwitch() {
  const place = usePlace();
  const path = usePathname();
  return (
    <nav className={classes.environments} aria-label={t.shell.environmentSwitch}>
      {ENVIRONMENTS.map((environment) => (
        <Link
          key={environment}
          className={classes.environment}
          href={inEnvironment(path, { ...place, environment })}
          data-environment={environment}
          aria-current={environment === place.environment || undefined}
          data-tip={t.common.environmentNote[environment]}
        >
          {t.common.environment[environment]}
        </Link>
      ))}
    </nav>
  );
}
