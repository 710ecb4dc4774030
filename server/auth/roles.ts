// What members may do inside Better Auth's organization plugin. The product's own rights are checked by the verbs;
// here only what the plugin itself guards.
import { createAccessControl } from 'better-auth/plugins/access';
import { adminAc, defaultStatements, memberAc, ownerAc } from 'better-auth/plugins/organization/access';

export const accessControl = createAccessControl(defaultStatements);

/** console.md's roles of an organization; `support` and `operator` are platform roles and stand on the user. */
export const organizationRoles = {
  viewer: memberAc,
  developer: memberAc,
  admin: adminAc,
  owner: ownerAc,
};
