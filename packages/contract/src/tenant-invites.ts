import { z } from "zod";
import { area, body } from "./operation.ts";
import { channels, Delivery } from "./people.ts";
import { managers, office } from "./roles.ts";
import { anyOf, Email, Id, Instant, listQuery, page, Phone, PlainDate } from "./values.ts";

const statuses = ["pending", "accepted", "revoked", "expired"] as const;

/** What every invite to a portal is, asks for and answers, whoever it is for. */
export const portalInvite = {
  members: {
    id: Id,
    organizationId: Id,
    email: Email.meta({ description: "What the account signs in with." }),
    token: z.string().nullable().meta({ description: "Opens the invite. Null to staff." }),
    status: z.enum(statuses),
    expiresAt: Instant,
    createdAt: Instant,
    acceptedAt: Instant.nullable(),
    revokedAt: Instant.nullable(),
    createdByUserId: Id.nullable(),
  },
  terms: { channels: z.array(z.enum(channels)).min(1).max(2), email: Email.optional(), phone: Phone.optional() },
  sending: {
    inviteLink: z.url(),
    shortInviteLink: z.url().nullable(),
    emailDelivery: Delivery.nullable(),
    smsDelivery: Delivery.nullable(),
  },
  /** What lists of invites can be filtered by. */
  filters: { status: anyOf(statuses).optional(), createdAfter: PlainDate.optional(), createdBefore: PlainDate.optional() },
  resending: { channels: z.array(z.enum(channels)).min(1).max(2), phone: Phone.optional() },
  resent: "The invite gets a new link and seven more days; the link before opens nothing any more. What was accepted or revoked is not sent again.",
  /** How inviting one kind of people is described. */
  describe: (kind: string) =>
    `A second invite revokes the first. \`email\` defaults to the ${kind}'s own, and one of the two is needed whatever the channels: the account signs in with it. \`phone\` overrides the ${kind}'s for SMS. Without consent or a provider an SMS is skipped and \`smsDelivery\` says why.`,
};

export const TenantInvite = z.strictObject({ ...portalInvite.members, tenantId: Id, leaseId: Id.nullable() }).meta({
  id: "TenantInvite",
  description: "Seven days in which a tenant can make a portal account. The token is derived, never stored.",
});
export type TenantInvite = z.output<typeof TenantInvite>;

export const tenantInvites = area("Tenant invites", "portfolio", {
  listTenantInvites: {
    method: "GET",
    path: "/api/tenant-invites",
    summary: "list tenant invites",
    access: office,
    query: listQuery(["createdAt"], { tenantId: Id.optional(), leaseId: Id.optional(), ...portalInvite.filters }, "desc"),
    returns: page("invites", TenantInvite),
  },
  getTenantInvite: {
    method: "GET",
    path: "/api/tenant-invites/{id}",
    summary: "read tenant invites",
    access: office,
    returns: { invite: TenantInvite },
  },
  createTenantInvite: {
    method: "POST",
    path: "/api/tenant-invites",
    summary: "invite tenants",
    access: managers,
    description: portalInvite.describe("tenant"),
    body: body({ tenantId: Id, ...portalInvite.terms, leaseId: Id.optional() }),
    returns: { invite: TenantInvite, ...portalInvite.sending },
    fails: [409],
    idempotent: true,
  },
  revokeTenantInvite: {
    method: "POST",
    path: "/api/tenant-invites/{id}/revoke",
    summary: "revoke tenant invites",
    access: managers,
    returns: { invite: TenantInvite },
    fails: [409],
  },
  resendTenantInvite: {
    method: "POST",
    path: "/api/tenant-invites/{id}/resend",
    summary: "invite tenants again",
    access: managers,
    description: portalInvite.resent,
    body: body(portalInvite.resending),
    returns: { invite: TenantInvite, ...portalInvite.sending },
    fails: [409],
    idempotent: true,
  },
});
