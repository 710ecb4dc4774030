'use client';

import type { DeliveryResource } from '@/server/services/contract';
import { t } from '../messages';
import type { Column } from '../ui/data-table';
import { durationMs } from '../ui/format';
import { MoneyMark } from '../ui/marks';
import { DeliveryChip } from '../ui/status-chip';
import { ClockTime, Countdown, RelativeTime } from '../ui/time';
import { budgetText, lastResult, nextCell } from './cells';
import classes from './deliveries.module.css';

export type EndpointNames = ReadonlyMap<string, string>;

/** The name of a delivery's endpoint, or its number while the names are not there. */
export function nameOf(
  delivery: Pick<DeliveryResource, 'endpoint_id' | 'endpoint_number'>,
  names: EndpointNames,
): string {
  const name = delivery.endpoint_id ? names.get(delivery.endpoint_id) : undefined;
  if (name) return name;
  return delivery.endpoint_number === null
    ? t.deliveries.noEndpoint
    : t.deliveries.endpointNumber(delivery.endpoint_number);
}

function TypeCell({ delivery }: { delivery: DeliveryResource }) {
  return (
    <span className={classes.type}>
      <span className={classes.typeName}>{delivery.type}</span>
      {delivery.money ? <MoneyMark currency={delivery.currency} /> : null}
    </span>
  );
}

function ResultCell({ delivery }: { delivery: DeliveryResource }) {
  const result = lastResult(delivery);
  if (!result) return null;
  const ms = delivery.last_duration_ms;
  return (
    <span className={classes.answer}>
      {'code' in result ? (
        <code>{result.code}</code>
      ) : (
        <span data-tip={delivery.last_error ?? undefined}>{result.words}</span>
      )}
      {ms === null ? null : <span className={classes.quiet}>{durationMs(ms)}</span>}
    </span>
  );
}

function NextCellView({ delivery }: { delivery: DeliveryResource }) {
  const next = nextCell(delivery);
  switch (next.kind) {
    case 'held':
      return (
        <span>
          {t.common.time.until('')}
          <ClockTime at={next.until} />
        </span>
      );
    case 'countdown':
      return <Countdown at={next.at} />;
    case 'nothing':
      return null;
    default: {
      const never: never = next;
      return never;
    }
  }
}

/** On a phone a third line is there only where it says something that the status does not. */
function thirdLine(place: 'line' | 'end') {
  return (delivery: DeliveryResource) =>
    delivery.status === 'delivered' || !lastResult(delivery) ? 'no' : place;
}

const { columns } = t.deliveries;

/** The eye runs down the status; then what, where, how far, what came back, what is next. */
export function deliveryColumns(names: EndpointNames): readonly Column<DeliveryResource>[] {
  return [
    {
      key: 'status',
      header: columns.status,
      width: 'var(--w-status)',
      phone: 'line',
      beside: true,
      cell: (delivery) => <DeliveryChip delivery={delivery} />,
    },
    {
      key: 'type',
      header: columns.type,
      phone: 'line',
      beside: true,
      cell: (delivery) => <TypeCell delivery={delivery} />,
    },
    {
      key: 'endpoint',
      header: columns.endpoint,
      width: 'var(--w-endpoint)',
      phone: 'end',
      beside: true,
      cell: (delivery) => nameOf(delivery, names),
    },
    {
      key: 'budget',
      header: columns.budget,
      width: 'var(--w-budget)',
      phone: 'no',
      cell: (delivery) => <span className={classes.budget}>{budgetText(delivery)}</span>,
    },
    {
      key: 'result',
      header: columns.result,
      width: 'var(--w-result)',
      phone: thirdLine('line'),
      cell: (delivery) => <ResultCell delivery={delivery} />,
    },
    {
      key: 'next',
      header: columns.next,
      width: 'var(--w-next)',
      phone: thirdLine('end'),
      cell: (delivery) => <NextCellView delivery={delivery} />,
    },
    {
      key: 'time',
      header: columns.time,
      width: 'var(--w-time)',
      align: 'right',
      phone: 'corner',
      cell: (delivery) => (
        <span className={classes.quiet}>
          <RelativeTime at={delivery.created_at} />
        </span>
      ),
    },
  ];
}
