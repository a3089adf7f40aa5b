import { z } from "zod";
import { area, body } from "./operation.ts";
import { managers, office } from "./roles.ts";
import { portalInvite } from "./tenant-invites.ts";
import { Id, listQuery, page } from "./values.ts";

export const VendorInvite = z.strictObject({ ...portalInvite.members, vendorId: Id.describe("Invited vendor.") }).meta({
  id: "VendorInvite",
  description: "An invite for a vendor to create a portal account, valid for 7 days. The token is derived on demand and never stored.",
});
export type VendorInvite = z.output<typeof VendorInvite>;

export const vendorInvites = area("Vendor invites", "portfolio", {
  listVendorInvites: {
    method: "GET",
    path: "/api/vendor-invites",
    summary: "list vendor invites",
    access: office,
    query: listQuery(["createdAt"], { vendorId: Id.optional().describe("Only invites of this vendor."), ...portalInvite.filters }, "desc"),
    returns: page("invites", VendorInvite),
  },
  getVendorInvite: {
    method: "GET",
    path: "/api/vendor-invites/{id}",
    summary: "read vendor invites",
    access: office,
    returns: { invite: VendorInvite.describe("Requested invite.") },
  },
  createVendorInvite: {
    method: "POST",
    path: "/api/vendor-invites",
    summary: "invite vendors",
    access: managers,
    description: portalInvite.describe("vendor"),
    body: body({ vendorId: Id.describe("Vendor to invite, who must not have a portal account."), ...portalInvite.terms }),
    returns: { invite: VendorInvite.describe("Created invite."), ...portalInvite.sending },
    fails: [409],
    idempotent: true,
  },
  revokeVendorInvite: {
    method: "POST",
    path: "/api/vendor-invites/{id}/revoke",
    summary: "revoke vendor invites",
    access: managers,
    description: "Revokes a pending invite; its link stops working.",
    returns: { invite: VendorInvite.describe("Revoked invite.") },
    fails: [409],
  },
  resendVendorInvite: {
    method: "POST",
    path: "/api/vendor-invites/{id}/resend",
    summary: "resend vendor invites",
    access: managers,
    description: portalInvite.resent,
    body: body(portalInvite.resending),
    returns: { invite: VendorInvite.describe("Resent invite."), ...portalInvite.sending },
    fails: [409],
    idempotent: true,
  },
});
