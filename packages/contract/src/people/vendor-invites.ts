import { z } from "zod";
import { operationGroup, body } from "../operation.ts";
import { adminsAndManagers, officeRoles } from "../roles.ts";
import { portalInvite } from "./tenant-invites.ts";
import { Id, listQuery, page } from "../values.ts";

export const VendorInvite = z.strictObject({ ...portalInvite.members, vendorId: Id.describe("Invited vendor.") }).meta({
  id: "VendorInvite",
  description: "An invite for a vendor to create a portal account, valid for 7 days. The token is derived on demand and never stored.",
});
export type VendorInvite = z.output<typeof VendorInvite>;

export const vendorInvites = operationGroup("Vendor invites", "portfolio", {
  listVendorInvites: {
    method: "GET",
    path: "/api/vendor-invites",
    summary: "list vendor invites",
    access: officeRoles,
    query: listQuery(["createdAt"], { vendorId: Id.optional().describe("Only invites of this vendor."), ...portalInvite.filters }, "desc"),
    response: page("invites", VendorInvite),
  },
  getVendorInvite: {
    method: "GET",
    path: "/api/vendor-invites/{id}",
    summary: "read vendor invites",
    access: officeRoles,
    response: { invite: VendorInvite.describe("Requested invite.") },
  },
  createVendorInvite: {
    method: "POST",
    path: "/api/vendor-invites",
    summary: "invite vendors",
    access: adminsAndManagers,
    description: portalInvite.createDescription("vendor"),
    body: body({ vendorId: Id.describe("Vendor to invite, who must not have a portal account."), ...portalInvite.createBody }),
    response: { invite: VendorInvite.describe("Created invite."), ...portalInvite.deliveryResult },
    errors: [409],
    idempotent: true,
  },
  revokeVendorInvite: {
    method: "POST",
    path: "/api/vendor-invites/{id}/revoke",
    summary: "revoke vendor invites",
    access: adminsAndManagers,
    description: "Revokes a pending invite; its link stops working.",
    response: { invite: VendorInvite.describe("Revoked invite.") },
    errors: [409],
  },
  resendVendorInvite: {
    method: "POST",
    path: "/api/vendor-invites/{id}/resend",
    summary: "resend vendor invites",
    access: adminsAndManagers,
    description: portalInvite.resendDescription,
    body: body(portalInvite.resendBody),
    response: { invite: VendorInvite.describe("Resent invite."), ...portalInvite.deliveryResult },
    errors: [409],
    idempotent: true,
  },
});
