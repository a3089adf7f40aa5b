import { z } from "zod";
import { area, body } from "./operation.ts";
import { managers, office } from "./roles.ts";
import { portalInvite } from "./tenant-invites.ts";
import { Id, listQuery, page } from "./values.ts";

export const OwnerInvite = z.strictObject({ ...portalInvite.members, ownerId: Id }).meta({
  id: "OwnerInvite",
  description: "Seven days in which an owner can make a portal account. The token is derived, never stored.",
});
export type OwnerInvite = z.output<typeof OwnerInvite>;

export const ownerInvites = area("Owner invites", "portfolio", {
  listOwnerInvites: {
    method: "GET",
    path: "/api/owner-invites",
    summary: "list owner invites",
    access: office,
    query: listQuery(["createdAt"], { ownerId: Id.optional(), ...portalInvite.filters }, "desc"),
    returns: page("invites", OwnerInvite),
  },
  getOwnerInvite: {
    method: "GET",
    path: "/api/owner-invites/{id}",
    summary: "read owner invites",
    access: office,
    returns: { invite: OwnerInvite },
  },
  createOwnerInvite: {
    method: "POST",
    path: "/api/owner-invites",
    summary: "invite owners",
    access: managers,
    description: portalInvite.describe("owner"),
    body: body({ ownerId: Id, ...portalInvite.terms }),
    returns: { invite: OwnerInvite, ...portalInvite.sending },
    fails: [409],
    idempotent: true,
  },
  revokeOwnerInvite: {
    method: "POST",
    path: "/api/owner-invites/{id}/revoke",
    summary: "revoke owner invites",
    access: managers,
    returns: { invite: OwnerInvite },
    fails: [409],
  },
  resendOwnerInvite: {
    method: "POST",
    path: "/api/owner-invites/{id}/resend",
    summary: "invite owners again",
    access: managers,
    description: portalInvite.resent,
    body: body(portalInvite.resending),
    returns: { invite: OwnerInvite, ...portalInvite.sending },
    fails: [409],
    idempotent: true,
  },
});
