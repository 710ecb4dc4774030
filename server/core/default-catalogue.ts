/**
 * Invariant: the types that a new app's catalogue begins with; which of them move money is said here as data, as
 * R-MON-1 and R-MON-2 have it, and nowhere in code.
 */
import type { MoneyRule } from '@/server/core/money';

export interface CatalogueEntry {
  type: string;
  description: string;
  money: MoneyRule | null;
  /** An example body, JSON text. */
  example: string;
}

type Status = 'always' | readonly string[] | null;

/** Pointers of the payment platforms' bodies: flat, with the amount in minor units. */
function platformRule(resource: string, moneyStatuses: Status): MoneyRule {
  const money =
    moneyStatuses === null || moneyStatuses === 'always'
      ? moneyStatuses
      : { pointer: '/status', values: [...moneyStatuses] };
  return { money, amount: '/amount', currency: '/currency', exponent: '/exponent', resource };
}

/** Pointers of the sandbox's objects. */
function sandboxRule(money: 'always' | null): MoneyRule {
  return { money, amount: '/amount', currency: '/currency', exponent: '/exponent', resource: '/id' };
}

function platformExample(idName: string, id: string, status: string): string {
  return `{"${idName}":"${id}","external_id":"order-1042","status":"${status}","amount":1250000,"currency":"MNT","exponent":2}`;
}

function intentExample(status: string): string {
  return `{"id":"pi_01jzx3vq6kf2s8v0c9n4m7t1ra","object":"payment_intent","status":"${status}","amount":1250000,"currency":"MNT","exponent":2}`;
}

function intent(status: string, description: string, money: 'always' | null): CatalogueEntry {
  const type = `payment_intent.${status}`;
  return { type, description, money: sandboxRule(money), example: intentExample(status) };
}

export const DEFAULT_CATALOGUE: readonly CatalogueEntry[] = [
  {
    type: 'payment.status_changed',
    description: 'A payment has a new status. Paid, settled and refunded ones moved money.',
    money: platformRule('/payment_id', ['paid', 'settled', 'refunded']),
    example: platformExample('payment_id', 'pay_7F3K2M', 'paid'),
  },
  {
    type: 'withdrawal.status_changed',
    description: 'A withdrawal has a new status. A completed one moved money.',
    money: platformRule('/withdrawal_id', ['completed']),
    example: platformExample('withdrawal_id', 'wd_52Q8RT', 'completed'),
  },
  {
    type: 'exchange.status_changed',
    description: 'A currency exchange has a new status. A completed one moved money.',
    money: platformRule('/exchange_id', ['completed']),
    example: platformExample('exchange_id', 'ex_90PLMA', 'completed'),
  },
  {
    type: 'refund.completed',
    description: 'A refund has reached the payer.',
    money: platformRule('/refund_id', 'always'),
    example: platformExample('refund_id', 'rf_31ZC7V', 'completed'),
  },
  {
    type: 'refund.reversed',
    description: 'A refund came back; the money is with the merchant again.',
    money: platformRule('/refund_id', 'always'),
    example: platformExample('refund_id', 'rf_31ZC7V', 'reversed'),
  },
  {
    type: 'refund.rejected',
    description: 'A refund was refused before any money moved.',
    money: platformRule('/refund_id', null),
    example: platformExample('refund_id', 'rf_31ZC7V', 'rejected'),
  },
  {
    type: 'refund.failed',
    description: 'A refund could not be made; no money moved.',
    money: platformRule('/refund_id', null),
    example: platformExample('refund_id', 'rf_31ZC7V', 'failed'),
  },
  {
    type: 'subscription.status_changed',
    description: 'A subscription has a new status.',
    money: { money: null, resource: '/subscription_id' },
    example: '{"subscription_id":"sub_84HNXD","external_id":"customer-77","status":"active"}',
  },
  {
    type: 'kyc.status_changed',
    description: "A customer's identity check has a new status.",
    money: { money: null, resource: '/kyc_id' },
    example: '{"kyc_id":"kyc_19TWEB","external_id":"customer-77","status":"approved"}',
  },
  {
    type: 'gateway.status_changed',
    description: 'A payment gateway went up or down.',
    money: { money: null, resource: '/gateway_id' },
    example: '{"gateway_id":"gw_cards","status":"degraded"}',
  },
  {
    type: 'payment.delivery_proof_reminder',
    description: 'Proof that the goods were delivered is still missing for a payment.',
    money: { money: null, resource: '/payment_id' },
    example: '{"payment_id":"pay_7F3K2M","external_id":"order-1042","due_at":"2026-02-01T09:00:00.000Z"}',
  },
  intent('requires_payment', 'A payment intent was made and waits for a payer.', null),
  intent('claimed', 'A payer has taken up the payment intent.', null),
  intent('requires_capture', 'The payer has confirmed; the amount waits to be captured.', null),
  intent('amount_mismatch', 'The payer confirmed another amount than was asked.', null),
  intent('succeeded', 'The amount was captured: money has moved to the merchant.', 'always'),
  intent('refunded', 'The amount went back to the payer.', 'always'),
  intent('cancelled', 'The payment intent was cancelled before any money moved.', null),
  intent('expired', 'The payment intent ran out before any money moved.', null),
  {
    type: 'settlement.paid',
    description: 'A settlement was paid out to the merchant.',
    money: sandboxRule('always'),
    example:
      '{"id":"st_20260131","object":"settlement","status":"paid","amount":98450000,"currency":"MNT","exponent":2}',
  },
];
