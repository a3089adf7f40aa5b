import { ownerInvites } from "@freehold/contract/owner-invites";
import { tenantInvites } from "@freehold/contract/tenant-invites";
import { vendorInvites } from "@freehold/contract/vendor-invites";
import { handlers } from "@freehold/kit/serve";
import { createInvite, revokeInvite, type Inviting } from "./invites.ts";

/** One door for each portal; behind them is one way of inviting. */
export const invitesDoors = (inviting: Inviting) => [
  handlers(tenantInvites, {
    createTenantInvite: ({ db, body: { tenantId, ...terms } }) => createInvite(db, inviting, "tenant", tenantId, terms),
    revokeTenantInvite: ({ db, params }) => revokeInvite(db, inviting, "tenant", params.id),
  }),
  handlers(ownerInvites, {
    createOwnerInvite: ({ db, body: { ownerId, ...terms } }) => createInvite(db, inviting, "owner", ownerId, terms),
    revokeOwnerInvite: ({ db, params }) => revokeInvite(db, inviting, "owner", params.id),
  }),
  handlers(vendorInvites, {
    createVendorInvite: ({ db, body: { vendorId, ...terms } }) => createInvite(db, inviting, "vendor", vendorId, terms),
    revokeVendorInvite: ({ db, params }) => revokeInvite(db, inviting, "vendor", params.id),
  }),
];
