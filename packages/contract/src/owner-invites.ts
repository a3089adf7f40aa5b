import { z } from "zod";
import { area, body } from "./operation.ts";
import { managers, office } from "./roles.ts";
import { portalInvite } from "./tenant-invites.ts";
import { Id, listQuery, page } from "./values.ts";

export const OwnerInvite = z.strictObject({ ...portalInvite.members, ownerId: Id.describe("Invited owner.") }).meta({
  id: "OwnerInvite",
  description: "An invite for an owner to create a portal account, valid for 7 days. The token is derived on demand and never stored.",
});
export type OwnerInvite = z.output<typeof OwnerInvite>;

export const ownerInvites = area("Owner invites", "portfolio", {
  listOwnerInvites: {
    method: "GET",
    path: "/api/owner-invites",
    summary: "list owner invites",
    access: office,
    query: listQuery(["createdAt"], { ownerId: Id.optional().describe("Only invites of this owner."), ...portalInvite.filters }, "desc"),
    returns: page("invites", OwnerInvite),
  },
  getOwnerInvite: {
    method: "GET",
    path: "/api/owner-invites/{id}",
    summary: "read owner invites",
    access: office,
    returns: { invite: OwnerInvite.describe("Requested invite.") },
  },
  createOwnerInvite: {
    method: "POST",
    path: "/api/owner-invites",
    summary: "invite owners",
    access: managers,
    description: portalInvite.describe("owner"),
    body: body({ ownerId: Id.describe("Owner to invite, who must not have a portal account."), ...portalInvite.terms }),
    returns: { invite: OwnerInvite.describe("Created invite."), ...portalInvite.sending },
    fails: [409],
    idempotent: true,
  },
  revokeOwnerInvite: {
    method: "POST",
    path: "/api/owner-invites/{id}/revoke",
    summary: "revoke owner invites",
    access: managers,
    description: "Revokes a pending invite; its link stops working.",
    returns: { invite: OwnerInvite.describe("Revoked invite.") },
    fails: [409],
  },
  resendOwnerInvite: {
    method: "POST",
    path: "/api/owner-invites/{id}/resend",
    summary: "resend owner invites",
    access: managers,
    description: portalInvite.resent,
    body: body(portalInvite.resending),
    returns: { invite: OwnerInvite.describe("Resent invite."), ...portalInvite.sending },
    fails: [409],
    idempotent: true,
  },
});
