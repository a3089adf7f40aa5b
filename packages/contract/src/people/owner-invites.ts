import { z } from "zod";
import { operationGroup, body } from "../operation.ts";
import { adminsAndManagers, officeRoles } from "../roles.ts";
import { Id, listQuery, page } from "../values.ts";
import { portalInviteSchemas } from "./portal-invites.ts";

export const OwnerInvite = z.strictObject({ ...portalInviteSchemas.members, ownerId: Id.describe("Invited owner.") }).meta({
  id: "OwnerInvite",
  description:
    "An invite for an owner to create a portal account, valid for 7 days. The token is derived on demand and not stored with the invite; a queued invite e-mail contains it until the e-mail is sent or has failed.",
});
export type OwnerInvite = z.output<typeof OwnerInvite>;

export const ownerInvites = operationGroup("Owner invites", "portfolio", {
  listOwnerInvites: {
    method: "GET",
    path: "/api/owner-invites",
    summary: "list owner invites",
    access: officeRoles,
    query: listQuery(["createdAt"], { ownerId: Id.optional().describe("Only invites of this owner."), ...portalInviteSchemas.filters }),
    response: page("invites", OwnerInvite),
  },
  getOwnerInvite: {
    method: "GET",
    path: "/api/owner-invites/{id}",
    summary: "read owner invites",
    access: officeRoles,
    response: { invite: OwnerInvite.describe("Requested invite.") },
  },
  createOwnerInvite: {
    method: "POST",
    path: "/api/owner-invites",
    summary: "invite owners",
    access: adminsAndManagers,
    description: portalInviteSchemas.createDescription("owner"),
    body: body({ ownerId: Id.describe("Owner to invite, who must not have a portal account."), ...portalInviteSchemas.createBody }),
    response: { invite: OwnerInvite.describe("Created invite."), ...portalInviteSchemas.deliveryResult },
    errors: [409],
    idempotent: true,
  },
  revokeOwnerInvite: {
    method: "POST",
    path: "/api/owner-invites/{id}/revoke",
    summary: "revoke owner invites",
    access: adminsAndManagers,
    description: "Revokes a pending invite; its link stops working.",
    response: { invite: OwnerInvite.describe("Revoked invite.") },
    errors: [409],
  },
  resendOwnerInvite: {
    method: "POST",
    path: "/api/owner-invites/{id}/resend",
    summary: "resend owner invites",
    access: adminsAndManagers,
    description: portalInviteSchemas.resendDescription,
    body: body(portalInviteSchemas.resendBody),
    response: { invite: OwnerInvite.describe("Resent invite."), ...portalInviteSchemas.deliveryResult },
    errors: [409],
    idempotent: true,
  },
});
