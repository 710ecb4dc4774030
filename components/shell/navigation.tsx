'use client';

import { useQuery, useQueryClient } from '@tanstack/react-query';
import Link, { useLinkStatus } from 'next/link';
import { usePathname } from 'next/navigation';
import { useRights } from '../endpoints/use-rights';
import { t } from '../messages';
import { figure } from '../messages/plural';
import { useTRPC } from '../trpc';
import { StatusShape } from '../ui/status-shape';
import { useOneAtATime } from '../ui/use-one-at-a-time';
import { useLiveTick } from './live';
import { NAVIGATION, type NavigationItem, type Page, pageOf, placePath } from './navigation-items';
import { usePlace } from './place';
import classes from './shell.module.css';

const PAUSE_MS = 2_000;

interface Waiting {
  text: string;
  label: string;
  /** Something is wrong, not merely waiting. */
  wrong: boolean;
}

/** What waits behind each page: work, never totals. */
function useWaiting(): Partial<Record<Page, Waiting>> {
  const trpc = useTRPC();
  const client = useQueryClient();
  const { isMember } = useRights();
  const options = trpc.nav.counts.queryOptions(usePlace(), { enabled: isMember });
  const { data } = useQuery(options);
  useLiveTick(useOneAtATime(() => client.invalidateQueries({ queryKey: options.queryKey }), PAUSE_MS));
  if (!data) return {};
  const { pending, endpoints_unwell: unwell, breakers_not_closed: open } = data;
  const bare = (n: number): Waiting | undefined =>
    n > 0 ? { text: figure(n), label: t.shell.waiting(n, false), wrong: true } : undefined;
  return {
    deliveries:
      pending.count > 0
        ? {
            text: `${figure(pending.count)}${pending.capped ? '+' : ''}`,
            label: t.shell.waiting(pending.count, pending.capped),
            wrong: false,
          }
        : undefined,
    endpoints: bare(unwell),
    breakers: open > 0 ? { text: figure(open), label: t.shell.notClosed(open), wrong: true } : undefined,
  };
}

export function Navigation() {
  const waiting = useWaiting();
  return (
    <>
      <nav className={classes.nav} aria-label={t.shell.navigation}>
        <NavigationLinks waiting={waiting} />
      </nav>
      <nav className={classes.bottom} aria-label={t.shell.mobileNavigation}>
        <NavigationLinks waiting={waiting} />
      </nav>
    </>
  );
}

function NavigationLinks({ waiting }: { waiting: Partial<Record<Page, Waiting>> }) {
  const place = usePlace();
  const page = pageOf(usePathname());
  const { isMember } = useRights();
  // Support sees the breakers of a merchant and nothing else.
  const items = isMember ? NAVIGATION : NAVIGATION.filter((item) => item.page === 'breakers');
  return items.map((item) => (
    <Link
      key={item.page}
      className={classes.item}
      href={placePath(place, item.page)}
      aria-current={item.page === page ? 'page' : undefined}
    >
      <ItemBody item={item} waiting={waiting[item.page]} />
    </Link>
  ));
}

function ItemBody({ item, waiting }: { item: NavigationItem; waiting: Waiting | undefined }) {
  const Icon = item.icon;
  const { pending } = useLinkStatus();
  return (
    <>
      <Icon className={classes.itemIcon} stroke={1.5} aria-hidden="true" />
      <span className={classes.itemLabel} data-pending={pending || undefined}>
        {item.label}
      </span>
      {waiting ? (
        <span className={classes.count} data-tip={waiting.label}>
          {waiting.wrong ? <StatusShape shape="cross" tone="bad" /> : null}
          {waiting.text}
        </span>
      ) : null}
    </>
  );
}
