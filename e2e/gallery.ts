// An app in which everything that the console can show is there to be seen at once.
import { expect } from '@playwright/test';
import { onlyDelivery, type Program } from './program';
import { deadUrl, Receiver } from './receiver';

export interface Gallery {
  /** What is behind `/{app}/test/`, by a short name of the page. */
  paths: Record<string, string>;
  close(): Promise<void>;
}

/** More than one page of the list holds. */
export const EVENTS = 60;

const payment = (n: number) =>
  JSON.stringify({
    payment_id: `pay_${n}`,
    status: 'paid',
    amount: 12_500_000 + n,
    currency: 'MNT',
    customer: { name: 'Болд Сарнай', email: 'sarnai@example.mn' },
    lines: [
      { sku: 'yurt-5', quantity: 1 },
      { sku: 'felt', quantity: 12 + n },
    ],
  });

/** Makes it in an app that has nothing yet. */
export async function makeGallery(program: Program): Promise<Gallery> {
  const healthy = await Receiver.start();
  const down = await Receiver.start({ status: 503 });
  const strict = await Receiver.start({ status: 422 });
  const shop = await program.createEndpoint({
    url: `${healthy.url}/shop?source=hookladder`,
    description: 'Shop backend\nTakes every event of the shop.',
    types: ['payment.*', 'refund.*', 'subscription.*', 'withdrawal.*'],
    headers: [{ name: 'x-shop-token', value: 'never shown' }],
    concurrency: 16,
  });
  const erp = await program.createEndpoint({
    url: `${down.url}/erp`,
    description: 'Old ERP bridge',
    types: ['payment.*', 'withdrawal.*'],
  });
  const accounting = { url: `${strict.url}/books`, description: 'Accounting', types: ['refund.*'] };
  await program.createEndpoint(accounting);
  await program.createEndpoint({ url: await deadUrl('http'), types: ['kyc.*'] });
  const off = { url: healthy.url, description: 'CRM, switched off', types: ['kyc.*'] };
  await program.patchEndpoint((await program.createEndpoint(off)).id, { status: 'disabled' });

  const bodies = Array.from({ length: EVENTS }, (_, n) => `{"subscription_id":"sub_${n}","status":"active"}`);
  await program.publishMany('subscription.status_changed', bodies);
  const kyc = onlyDelivery(await program.publish('kyc.status_changed', '{"merchant_id":"mer_1"}'));
  await program.publish('refund.completed', payment(1));
  for (let n = 0; n < 5; n += 1) await program.publish('payment.status_changed', payment(n));
  const breakerOf = async (endpointId: string) =>
    (await program.breakers()).find((breaker) => breaker.endpoint_id === endpointId);
  await expect.poll(async () => (await breakerOf(erp.id))?.state).toBe('open');
  const event = await program.publish('withdrawal.status_changed', payment(9));
  const held = event.deliveries.find((delivery) => delivery.endpoint_id === erp.id);
  const done = event.deliveries.find((delivery) => delivery.endpoint_id === shop.id);
  await expect.poll(async () => (await program.delivery(kyc.id)).attempts).toBe(2);
  await expect.poll(async () => (await program.delivery(done?.id ?? '')).status).toBe('delivered');
  return {
    paths: {
      deliveries: 'deliveries',
      panel: `deliveries?status=pending&delivery=${kyc.id}`,
      nothing: 'deliveries?status=failed&type=refund.completed',
      delivered: `deliveries/${done?.id}`,
      retrying: `deliveries/${kyc.id}`,
      held: `deliveries/${held?.id}`,
      endpoints: 'endpoints',
      new: 'endpoints/new',
      endpoint: `endpoints/${shop.id}`,
      failing: `endpoints/${erp.id}`,
      edit: `endpoints/${shop.id}/edit`,
      breakers: 'breakers',
      breaker: `breakers/${(await breakerOf(erp.id))?.id}`,
      closed: `breakers/${(await breakerOf(shop.id))?.id}`,
    },
    async close() {
      for (const receiver of [healthy, down, strict]) await receiver.stop();
    },
  };
}
