import type { DeliveryDetail, DeliveryResource } from '@/server/services/contract';
import { t } from '../messages';
import { CopyId } from '../ui/copy-id';
import { Facts } from '../ui/facts';
import { Amount, MoneyMark } from '../ui/marks';
import { Section } from '../ui/page-head';
import { RelativeTime } from '../ui/time';

function amountOf(delivery: DeliveryResource) {
  const { amount, currency, exponent } = delivery;
  return amount !== null && currency !== null && exponent !== null
    ? { minor: amount, currency, exponent }
    : null;
}

/** What of it never changes, and how far its ladders are used. */
export function DeliveryFacts({ detail, columns }: { detail: DeliveryDetail; columns: 1 | 2 }) {
  const { delivery, event } = detail;
  const { facts } = t.delivery;
  const amount = amountOf(delivery);
  return (
    <Section title={facts.title}>
      <Facts
        columns={columns}
        facts={[
          {
            name: facts.type,
            value: (
              <>
                {event.type}
                {event.money ? <MoneyMark currency={delivery.currency} /> : null}
              </>
            ),
          },
          { name: facts.event, value: <CopyId id={event.id} what={facts.event} /> },
          delivery.resource
            ? { name: facts.resource, value: <CopyId id={delivery.resource} what={facts.resource} /> }
            : null,
          amount ? { name: facts.amount, value: <Amount {...amount} /> } : null,
          { name: facts.created, value: <RelativeTime at={event.created_at} focusable /> },
          event.occurred_at
            ? { name: facts.occurred, value: <RelativeTime at={event.occurred_at} focusable /> }
            : null,
          delivery.ended_at
            ? { name: facts.ended, value: <RelativeTime at={delivery.ended_at} focusable /> }
            : null,
          { name: facts.cycle, value: delivery.cycle },
          { name: facts.fast, value: t.deliveries.attemptsUsed(delivery.fast.used, delivery.fast.of) },
          delivery.slow.of > 0
            ? { name: facts.slow, value: t.deliveries.attemptsUsed(delivery.slow.used, delivery.slow.of) }
            : null,
          { name: facts.contentType, value: <code>{event.content_type}</code> },
          { name: facts.sha256, value: <CopyId id={event.body_sha256} what={facts.sha256} short /> },
        ]}
      />
    </Section>
  );
}
