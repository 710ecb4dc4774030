'use client';

import { useQueryStates } from 'nuqs';
import type { DeliveryResource } from '@/server/services/contract';
import { t } from '../messages';
import { usePlace } from '../shell/place';
import { ListFrame } from '../ui/list-frame';
import { focusRow } from '../ui/list-keys';
import { EmptyState } from '../ui/notices';
import { PageHead } from '../ui/page-head';
import { focusPanel } from '../ui/side-panel';
import { DELIVERY_LOOKS, deliveryFace } from '../ui/status';
import { deliveryFingerprint } from './cells';
import { deliveryColumns, type EndpointNames, nameOf } from './columns';
import { DeliveryFilterBar } from './delivery-filter-bar';
import { DeliveryPanel } from './delivery-panel';
import { type DeliveryFilters, deliveryParsers, hasFilters, NO_FILTERS } from './filters';
import { PublishHint } from './publish-hint';
import { useDeliveryList } from './use-delivery-list';
import { useEndpointNames } from './use-endpoint-names';

/** The main page: every delivery, newest first, one of them open beside the list. */
export function Deliveries() {
  const [state, setState] = useQueryStates(deliveryParsers);
  const names = useEndpointNames();
  const { delivery, attempt: _attempt, ...filters } = state;
  const open = (id: string) => {
    if (id === delivery) focusPanel();
    else setState({ delivery: id, attempt: null }, { history: delivery ? 'replace' : 'push' });
  };
  const close = () => {
    if (delivery) focusRow(delivery);
    setState({ delivery: null, attempt: null }, { history: 'replace' });
  };
  return (
    <>
      <PageHead title={t.deliveries.title} />
      <DeliveryFilterBar filters={filters} names={names} onChange={(change) => setState(change)} />
      <DeliveryRows
        key={JSON.stringify(filters)}
        filters={filters}
        names={names}
        selected={delivery}
        onOpen={open}
        onClose={close}
        onClear={() => setState(NO_FILTERS)}
      />
      {delivery ? <DeliveryPanel key={delivery} id={delivery} onClose={close} onOpen={open} /> : null}
    </>
  );
}

interface DeliveryRowsProps {
  filters: DeliveryFilters;
  names: EndpointNames;
  selected: string | null;
  onOpen: (id: string) => void;
  onClose: () => void;
  onClear: () => void;
}

function DeliveryRows({ filters, names, selected, onOpen, onClose, onClear }: DeliveryRowsProps) {
  const { environment } = usePlace();
  const list = useDeliveryList(filters, selected !== null);
  const { query, waiting, more } = list;
  const cursor = query.data?.next_cursor ?? null;
  const showNewer = () => {
    if (waiting) list.accept(waiting);
    window.scrollTo({ top: 0 });
  };
  const labelOf = (delivery: DeliveryResource) =>
    t.deliveries.openRow(DELIVERY_LOOKS[deliveryFace(delivery)].word, delivery.type, nameOf(delivery, names));
  return (
    <ListFrame
      label={t.deliveries.list}
      columns={deliveryColumns(names)}
      beside={selected !== null}
      rows={list.rows}
      rowKey={(delivery) => delivery.id}
      rowLabel={labelOf}
      rowHref={(delivery) => `?delivery=${delivery.id}`}
      onOpen={(delivery) => onOpen(delivery.id)}
      onFollow={selected ? onOpen : undefined}
      onEscape={selected ? onClose : undefined}
      selected={selected}
      fingerprint={deliveryFingerprint}
      arrived={list.arrived}
      loading={query.isPending}
      error={query.error}
      onRetry={() => query.refetch()}
      onClearFilters={hasFilters(filters) ? onClear : null}
      newer={{ count: waiting?.merge.newer.size ?? 0, more: waiting?.merge.gap ?? false, show: showNewer }}
      more={{ load: cursor ? () => more.mutate(cursor) : null, loading: more.isPending, error: more.error }}
      empty={
        <EmptyState wide title={t.deliveries.emptyTitle} action={<PublishHint />}>
          {t.deliveries.empty(t.common.environment[environment])}
        </EmptyState>
      }
    />
  );
}
