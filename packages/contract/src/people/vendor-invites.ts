import { z } from "zod";
import { operationGroup, body } from "../operation.ts";
import { adminsAndManagers, officeRoles } from "../roles.ts";
import { Id, listQuery, page } from "../values.ts";
import { portalInviteSchemas } from "./portal-invites.ts";

export const VendorInvite = z.strictObject({ ...portalInviteSchemas.members, vendorId: Id.describe("Invited vendor.") }).meta({
  id: "VendorInvite",
  description:
    "An invite for a vendor to create a portal account, valid for 7 days. The token is derived on demand and not stored with the invite; a queued invite e-mail contains it until the e-mail is sent or has failed.",
});
export type VendorInvite = z.output<typeof VendorInvite>;

export const vendorInvites = operationGroup("Vendor invites", "portfolio", {
  listVendorInvites: {
    method: "GET",
    path: "/api/vendor-invites",
    summary: "list vendor invites",
    access: officeRoles,
    query: listQuery(["createdAt"], { vendorId: Id.optional().describe("Only invites of this vendor."), ...portalInviteSchemas.filters }),
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
    description: portalInviteSchemas.createDescription("vendor"),
    body: body({ vendorId: Id.describe("Vendor to invite, who must not have a portal account."), ...portalInviteSchemas.createBody }),
    response: { invite: VendorInvite.describe("Created invite."), ...portalInviteSchemas.deliveryResult },
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
    description: portalInviteSchemas.resendDescription,
    body: body(portalInviteSchemas.resendBody),
    response: { invite: VendorInvite.describe("Resent invite."), ...portalInviteSchemas.deliveryResult },
    errors: [409],
    idempotent: true,
  },
});
