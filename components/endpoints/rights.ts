/**
 * What the reader may do, so that a button can say why it cannot. The server decides; this only explains.
 */
import type { Me } from '@/server/services/contract';

export interface Rights {
  /** Sees the app as a member of its organization; support sees breakers alone. */
  isMember: boolean;
  writesEndpoints: boolean;
  sendsTests: boolean;
  resetsBreakers: boolean;
}

const NONE: Rights = { isMember: false, writesEndpoints: false, sendsTests: false, resetsBreakers: false };

/** The rights of a person on an app; none while the person is not known. */
export function rightsOf(me: Me | undefined, appId: string): Rights {
  if (!me) return NONE;
  const organizationId = me.apps.find((app) => app.id === appId)?.organization_id;
  const role = me.organizations.find((organization) => organization.id === organizationId)?.role;
  return {
    isMember: role !== undefined,
    writesEndpoints: role === 'admin' || role === 'owner',
    sendsTests: role !== undefined && role !== 'viewer',
    resetsBreakers: me.user.platformRole === 'support',
  };
}
