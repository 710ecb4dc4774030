// What a demo begins with: people, an organization, an app, five test endpoints on the built-in receiver.
import type { Container } from '@/server/container';
import type { DemoFacts } from '@/server/demo-folder';
import type { ReceiverBehaviour } from '@/server/ports/records';
import { MERCHANT_SCOPES } from '@/server/services/actor';
import {
  addMember,
  asSystem,
  createApiKey,
  createApp,
  createOrganization,
  createUser,
  setPlatformRole,
} from '@/server/services/admin';
import { createEndpoint } from '@/server/services/endpoint-changes';
import { createReceiver, receiverPath } from '@/server/services/receivers';

interface DemoEndpoint {
  behaviour: ReceiverBehaviour;
  description: string;
  types: string[];
}

const ENDPOINTS: readonly DemoEndpoint[] = [
  { behaviour: 'healthy', description: 'Shop backend', types: [] },
  {
    behaviour: 'flaky',
    description: 'Order fulfilment (fails 3 times in 10)',
    types: ['payment.*', 'refund.*'],
  },
  { behaviour: 'down', description: 'Old ERP bridge (down)', types: ['payment.*'] },
  { behaviour: 'reject', description: 'Accounting (refuses with 400)', types: ['refund.*', 'withdrawal.*'] },
  { behaviour: 'slow', description: 'CRM sync (answers in 1.5 s)', types: ['kyc.*', 'subscription.*'] },
];

/** Makes the demo in an empty installation. Not idempotent: its caller remembers that it was made. */
export async function fillDemo(container: Container): Promise<DemoFacts> {
  const { services, accounts } = container;
  const admin = { deps: services, accounts };
  const merchant = await createUser(admin, { email: 'merchant@demo.localhost', name: 'Demo merchant' });
  const support = await createUser(admin, { email: 'support@demo.localhost', name: 'Demo support' });
  await setPlatformRole(admin, support.user, 'support');
  const organization = await createOrganization(admin, 'Steppe Goods');
  await addMember(admin, { organizationId: organization.id, user: merchant.user, role: 'owner' });

  const context = asSystem(services, 'demo');
  const app = await createApp.call(context, {
    organizationId: organization.id,
    input: { name: 'Online shop', policy: 'standard' },
  });
  for (const endpoint of ENDPOINTS) await addEndpoint(container, app, endpoint);
  const { key } = await createApiKey.call(context, {
    organizationId: organization.id,
    input: { name: 'Demo key', appId: app.id, environment: 'test', scopes: [...MERCHANT_SCOPES] },
  });
  return {
    merchant: { email: merchant.user.email, password: merchant.password },
    support: { email: support.user.email, password: support.password },
    appId: app.id,
    apiKey: key,
  };
}

async function addEndpoint(
  { services, runtime }: Container,
  app: { id: string; rowId: number },
  { behaviour, description, types }: DemoEndpoint,
): Promise<void> {
  const { store, clock, random, env } = runtime;
  const receiver = await store.transact((tx) =>
    createReceiver(tx, { appId: app.rowId, environment: 'test', behaviour }, { now: clock.now(), random }),
  );
  await createEndpoint.call(asSystem(services, 'demo'), {
    appId: app.id,
    environment: 'test',
    input: { url: `${env.publicUrl}${receiverPath(receiver.token)}`, description, types },
  });
}
