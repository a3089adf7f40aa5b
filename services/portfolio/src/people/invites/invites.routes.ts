import { ownerInvites } from "@freehold/contract/people/owner-invites";
import { tenantInvites } from "@freehold/contract/people/tenant-invites";
import { vendorInvites } from "@freehold/contract/people/vendor-invites";
import { routes } from "@freehold/kit/http/routes";
import { createInvite, revokeInvite, type InviteDependencies } from "./invites.ts";
import { getPortalInvite, listPortalInvites } from "./read-invites.ts";
import { resendInvite } from "./resend-invite.ts";

export const inviteRoutes = (dependencies: InviteDependencies) => [
  routes(tenantInvites, {
    listTenantInvites: ({ db, query: { tenantId, ...query } }) => listPortalInvites(db, dependencies, "tenant", tenantId, query),
    getTenantInvite: ({ db, params }) => getPortalInvite(db, dependencies, "tenant", params.id),
    createTenantInvite: ({ db, body: { tenantId, ...terms } }) => createInvite(db, dependencies, "tenant", tenantId, terms),
    revokeTenantInvite: ({ db, params }) => revokeInvite(db, dependencies, "tenant", params.id),
    resendTenantInvite: ({ db, params, body }) => resendInvite(db, dependencies, "tenant", params.id, body),
  }),
  routes(ownerInvites, {
    listOwnerInvites: ({ db, query: { ownerId, ...query } }) => listPortalInvites(db, dependencies, "owner", ownerId, query),
    getOwnerInvite: ({ db, params }) => getPortalInvite(db, dependencies, "owner", params.id),
    createOwnerInvite: ({ db, body: { ownerId, ...terms } }) => createInvite(db, dependencies, "owner", ownerId, terms),
    revokeOwnerInvite: ({ db, params }) => revokeInvite(db, dependencies, "owner", params.id),
    resendOwnerInvite: ({ db, params, body }) => resendInvite(db, dependencies, "owner", params.id, body),
  }),
  routes(vendorInvites, {
    listVendorInvites: ({ db, query: { vendorId, ...query } }) => listPortalInvites(db, dependencies, "vendor", vendorId, query),
    getVendorInvite: ({ db, params }) => getPortalInvite(db, dependencies, "vendor", params.id),
    createVendorInvite: ({ db, body: { vendorId, ...terms } }) => createInvite(db, dependencies, "vendor", vendorId, terms),
    revokeVendorInvite: ({ db, params }) => revokeInvite(db, dependencies, "vendor", params.id),
    resendVendorInvite: ({ db, params, body }) => resendInvite(db, dependencies, "vendor", params.id, body),
  }),
];
