import { z } from "zod";
import { area, body } from "./operation.ts";
import { managers, office } from "./roles.ts";
import { portalInvite } from "./tenant-invites.ts";
import { Id, listQuery, page } from "./values.ts";

export const VendorInvite = z.strictObject({ ...portalInvite.members, vendorId: Id }).meta({
  id: "VendorInvite",
  description: "Seven days in which a vendor can make a portal account. The token is derived, never stored.",
});
export type VendorInvite = z.output<typeof VendorInvite>;

export const vendorInvites = area("Vendor invites", "portfolio", {
  listVendorInvites: {
    method: "GET",
    path: "/api/vendor-invites",
    summary: "list vendor invites",
    access: office,
    query: listQuery(["createdAt"], { vendorId: Id.optional(), ...portalInvite.filters }, "desc"),
    returns: page("invites", VendorInvite),
  },
  getVendorInvite: {
    method: "GET",
    path: "/api/vendor-invites/{id}",
    summary: "read vendor invites",
    access: office,
    returns: { invite: VendorInvite },
  },
  createVendorInvite: {
    method: "POST",
    path: "/api/vendor-invites",
    summary: "invite vendors",
    access: managers,
    description: portalInvite.describe("vendor"),
    body: body({ vendorId: Id, ...portalInvite.terms }),
    returns: { invite: VendorInvite, ...portalInvite.sending },
    fails: [409],
    idempotent: true,
  },
  revokeVendorInvite: {
    method: "POST",
    path: "/api/vendor-invites/{id}/revoke",
    summary: "revoke vendor invites",
    access: managers,
    returns: { invite: VendorInvite },
    fails: [409],
  },
  resendVendorInvite: {
    method: "POST",
    path: "/api/vendor-invites/{id}/resend",
    summary: "invite vendors again",
    access: managers,
    description: portalInvite.resent,
    body: body(portalInvite.resending),
    returns: { invite: VendorInvite, ...portalInvite.sending },
    fails: [409],
    idempotent: true,
  },
});
