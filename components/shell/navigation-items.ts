import { IconArrowsRightLeft, IconCircuitSwitchOpen, type IconProps, IconStack2 } from '@tabler/icons-react';
import type { ComponentType } from 'react';
import { t } from '../messages';

/** The pages there are. A page that is not built is not named. */
export type Page = 'deliveries' | 'endpoints' | 'breakers';

export interface NavigationItem {
  page: Page;
  label: string;
  icon: ComponentType<IconProps>;
}

export const NAVIGATION: readonly NavigationItem[] = [
  { page: 'deliveries', label: t.shell.items.deliveries, icon: IconStack2 },
  { page: 'endpoints', label: t.shell.items.endpoints, icon: IconArrowsRightLeft },
  { page: 'breakers', label: t.shell.items.breakers, icon: IconCircuitSwitchOpen },
];

export interface Place {
  appId: string;
  environment: 'test' | 'live';
}

export function placePath({ appId, environment }: Place, page: Page | null = null): string {
  const base = `/${appId}/${environment}`;
  return page ? `${base}/${page}` : base;
}

/** Which page a path is on: "/app_1/test/endpoints/ep_9" → "endpoints". */
export function pageOf(path: string): Page | null {
  const segment = path.split('/')[3];
  return NAVIGATION.find((item) => item.page === segment)?.page ?? null;
}

/**
 * The same page in the other environment. What is shown belongs to one environment only, so an id is left
 * behind.
 */
export function inEnvironment(path: string, place: Place): string {
  return placePath(place, pageOf(path) ?? 'deliveries');
}

/** Where an id leads; null for what has no page. */
export function pathOfId(id: string, place: Place): string | null {
  const trimmed = id.trim();
  switch (/^([a-z]+)_[0-9a-z]+$/.exec(trimmed)?.[1]) {
    case 'dlv':
      return `${placePath(place, 'deliveries')}/${trimmed}`;
    case 'ep':
      return `${placePath(place, 'endpoints')}/${trimmed}`;
    case 'brk':
      return `${placePath(place, 'breakers')}/${trimmed}`;
    case 'app':
      return placePath({ ...place, appId: trimmed }, 'deliveries');
    default:
      return null;
  }
}
