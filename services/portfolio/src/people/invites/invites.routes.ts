import { ownerInvites } from "@freehold/contract/people/owner-invites";
import { tenantInvites } from "@freehold/contract/people/tenant-invites";
import { vendorInvites } from "@freehold/contract/people/vendor-invites";
import { routes } from "@freehold/kit/http/routes";
import { createInvite, revokeInvite, type InviteDependencies } from "./invites.ts";
import { getInvite, listInvites } from "./read-invites.ts";
import { resendInvite } from "./resend-invite.ts";

/** One door for each portal; behind them is one way of inviting. */
export const inviteRoutes = (inviting: InviteDependencies) => [
  routes(tenantInvites, {
    listTenantInvites: ({ db, query: { tenantId, ...query } }) => listInvites(db, inviting, "tenant", tenantId, query),
    getTenantInvite: ({ db, params }) => getInvite(db, inviting, "tenant", params.id),
    createTenantInvite: ({ db, body: { tenantId, ...terms } }) => createInvite(db, inviting, "tenant", tenantId, terms),
    revokeTenantInvite: ({ db, params }) => revokeInvite(db, inviting, "tenant", params.id),
    resendTenantInvite: ({ db, params, body }) => resendInvite(db, inviting, "tenant", params.id, body),
  }),
  routes(ownerInvites, {
    listOwnerInvites: ({ db, query: { ownerId, ...query } }) => listInvites(db, inviting, "owner", ownerId, query),
    getOwnerInvite: ({ db, params }) => getInvite(db, inviting, "owner", params.id),
    createOwnerInvite: ({ db, body: { ownerId, ...terms } }) => createInvite(db, inviting, "owner", ownerId, terms),
    revokeOwnerInvite: ({ db, params }) => revokeInvite(db, inviting, "owner", params.id),
    resendOwnerInvite: ({ db, params, body }) => resendInvite(db, inviting, "owner", params.id, body),
  }),
  routes(vendorInvites, {
    listVendorInvites: ({ db, query: { vendorId, ...query } }) => listInvites(db, inviting, "vendor", vendorId, query),
    getVendorInvite: ({ db, params }) => getInvite(db, inviting, "vendor", params.id),
    createVendorInvite: ({ db, body: { vendorId, ...terms } }) => createInvite(db, inviting, "vendor", vendorId, terms),
    revokeVendorInvite: ({ db, params }) => revokeInvite(db, inviting, "vendor", params.id),
    resendVendorInvite: ({ db, params, body }) => resendInvite(db, inviting, "vendor", params.id, body),
  }),
];
