// The demo's own publisher: events of several types every few seconds, money and not, so that the console is alive.
import type { Container } from '@/server/container';
import { readDemoFacts } from '@/server/demo-folder';
import { asSystem } from '@/server/services/admin';
import { publishEvent } from '@/server/services/publish';

const EVERY_MS = 2_500;
const FIRST_MS = 1_000;

type Draw = () => number;

interface Template {
  type: string;
  weight: number;
  body(draw: Draw, id: string): object;
}

const amount = (draw: Draw) => Math.round(5_000 + draw() * 900_000);
const pick = <T>(draw: Draw, options: readonly [T, ...T[]]): T =>
  options[Math.floor(draw() * options.length)] ?? options[0];

const TEMPLATES: readonly [Template, ...Template[]] = [
  {
    type: 'payment.status_changed',
    weight: 5,
    body: (draw, id) => ({
      payment_id: `pay_${id}`,
      status: pick(draw, ['paid', 'paid', 'settled', 'expired', 'cancelled']),
      amount: amount(draw),
      currency: pick(draw, ['RUB', 'MNT', 'USD']),
    }),
  },
  {
    type: 'refund.completed',
    weight: 1,
    body: (draw, id) => ({
      refund_id: `ref_${id}`,
      payment_id: `pay_${id}`,
      amount: amount(draw),
      currency: 'RUB',
    }),
  },
  {
    type: 'withdrawal.status_changed',
    weight: 1,
    body: (draw, id) => ({
      withdrawal_id: `wdr_${id}`,
      status: pick(draw, ['completed', 'processing', 'failed']),
      amount: amount(draw),
      currency: 'MNT',
    }),
  },
  {
    type: 'kyc.status_changed',
    weight: 2,
    body: (draw, id) => ({
      merchant_id: `mer_${id}`,
      status: pick(draw, ['approved', 'in_review', 'rejected']),
    }),
  },
  {
    type: 'subscription.status_changed',
    weight: 2,
    body: (draw, id) => ({
      subscription_id: `sub_${id}`,
      status: pick(draw, ['active', 'past_due', 'cancelled']),
    }),
  },
];

/** Publishes until it is stopped; a publish that fails is a log line and nothing more. */
export function beginDemoTraffic(container: Container): () => void {
  const { clock, random, log, env } = container.runtime;
  const facts = readDemoFacts(env.dataFolder);
  if (!facts) return () => undefined;
  let cancel: () => void = () => undefined;
  const publish = async () => {
    const template = draw(() => random.next());
    const id = Buffer.from(random.bytes(5)).toString('hex');
    const body = Buffer.from(JSON.stringify(template.body(() => random.next(), id)));
    await publishEvent.call(asSystem(container.services, 'demo'), {
      appId: facts.appId,
      environment: 'test',
      input: { type: template.type, body, contentType: 'application/json', occurredAt: null },
    });
  };
  const again = () => {
    void publish().catch((error: unknown) => log.warn('demo_publish_failed', { error: String(error) }));
    cancel = clock.setTimer(clock.now() + EVERY_MS * (0.5 + random.next()), again);
  };
  cancel = clock.setTimer(clock.now() + FIRST_MS, again);
  return () => cancel();
}

function draw(next: Draw): Template {
  const total = TEMPLATES.reduce((sum, { weight }) => sum + weight, 0);
  let left = next() * total;
  for (const template of TEMPLATES) {
    left -= template.weight;
    if (left < 0) return template;
  }
  return TEMPLATES[0];
}
