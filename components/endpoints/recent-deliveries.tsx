'use client';

import Link from 'next/link';
import type { DeliveryResource } from '@/server/services/contract';
import { deliveryFingerprint } from '../deliveries/cells';
import { deliveryColumns } from '../deliveries/columns';
import { t } from '../messages';
import { placePath } from '../shell/navigation-items';
import { usePlace } from '../shell/place';
import { DataTable, TableSkeleton } from '../ui/data-table';
import { ListKeys } from '../ui/list-keys';
import { Section } from '../ui/page-head';
import { DELIVERY_LOOKS, deliveryFace } from '../ui/status';
import classes from './endpoints.module.css';

export interface RecentDeliveriesProps {
  endpointId: string;
  deliveries: readonly DeliveryResource[];
  isLoading: boolean;
}

/** All columns of the list but the endpoint's: it is this one. */
const COLUMNS = deliveryColumns(new Map()).filter((column) => column.key !== 'endpoint');

/** The last few of its deliveries, each leading to its page; all of them are in the list. */
export function RecentDeliveries({ endpointId, deliveries, isLoading }: RecentDeliveriesProps) {
  const path = placePath(usePlace(), 'deliveries');
  return (
    <Section
      title={t.endpoints.recent.title}
      beside={<Link href={`${path}?endpoint=${endpointId}`}>{t.endpoints.recent.all}</Link>}
    >
      <ListKeys />
      <Rows deliveries={deliveries} isLoading={isLoading} path={path} />
    </Section>
  );
}

function Rows(props: { deliveries: readonly DeliveryResource[]; isLoading: boolean; path: string }) {
  if (props.deliveries.length === 0 && !props.isLoading) {
    return <p className={classes.nothing}>{t.endpoints.recent.none}</p>;
  }
  return (
    <div className={classes.rows}>
      {props.deliveries.length === 0 ? (
        <TableSkeleton columns={COLUMNS} rows={3} />
      ) : (
        <DataTable
          label={t.endpoints.recent.title}
          columns={COLUMNS}
          rows={props.deliveries}
          rowKey={(delivery) => delivery.id}
          rowLabel={(delivery) => `${DELIVERY_LOOKS[deliveryFace(delivery)].word}: ${delivery.type}`}
          rowHref={(delivery) => `${props.path}/${delivery.id}`}
          fingerprint={deliveryFingerprint}
        />
      )}
    </div>
  );
}
