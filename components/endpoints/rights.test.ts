import { expect, it } from 'vitest';
import type { Me } from '@/server/services/contract';
import { rightsOf } from './rights';

const me = (role: string | null, platformRole: Me['user']['platformRole'] = null): Me => ({
  user: { id: 'u1', email: 'a@b.c', name: 'A', platformRole },
  organizations: role ? [{ id: 'org_1', name: 'Shop', role }] : [],
  apps: role ? [{ id: 'app_1', name: 'Shop', organization_id: 'org_1', created_at: '' }] : [],
  demo: false,
});

it.each([
  [
    'viewer',
    me('viewer'),
    { isMember: true, writesEndpoints: false, sendsTests: false, resetsBreakers: false },
  ],
  [
    'developer',
    me('developer'),
    { isMember: true, writesEndpoints: false, sendsTests: true, resetsBreakers: false },
  ],
  ['admin', me('admin'), { isMember: true, writesEndpoints: true, sendsTests: true, resetsBreakers: false }],
  ['owner', me('owner'), { isMember: true, writesEndpoints: true, sendsTests: true, resetsBreakers: false }],
  [
    'support',
    me(null, 'support'),
    { isMember: false, writesEndpoints: false, sendsTests: false, resetsBreakers: true },
  ],
  [
    'operator',
    me(null, 'operator'),
    { isMember: false, writesEndpoints: false, sendsTests: false, resetsBreakers: false },
  ],
  [
    'nobody yet',
    undefined,
    { isMember: false, writesEndpoints: false, sendsTests: false, resetsBreakers: false },
  ],
])('R-BRK-6 support alone resets; what a %s may do', (_who, person, rights) => {
  expect(rightsOf(person, 'app_1')).toEqual(rights);
});
