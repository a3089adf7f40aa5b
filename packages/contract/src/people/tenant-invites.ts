import { z } from "zod";
import { operationGroup, body } from "../operation.ts";
import { channels, Delivery } from "./people.ts";
import { adminsAndManagers, officeRoles } from "../roles.ts";
import { csvEnum, Email, Id, Instant, listQuery, page, Phone, PlainDate } from "../values.ts";

const statuses = ["pending", "accepted", "revoked", "expired"] as const;
const Channels = z.array(z.enum(channels)).min(1).max(2).describe("Channels over which the invite is sent: `email`, `sms` or both.");

/** Schemas and texts shared by the invites to the tenant, owner and vendor portals. */
export const portalInvite = {
  members: {
    id: Id.describe("Unique identifier of the invite."),
    organizationId: Id.describe("Organization that sent the invite."),
    email: Email.describe("E-mail address that the portal account signs in with."),
    token: z.string().nullable().describe("Secret token of the invite link; null for callers with the role staff."),
    status: z
      .enum(statuses)
      .describe("Status of the invite: `pending` until accepted, revoked or expired. An invite expires 7 days after being sent or resent."),
    expiresAt: Instant.describe("Time at which the invite expires."),
    createdAt: Instant.describe("Time at which the invite was created."),
    acceptedAt: Instant.nullable().describe("Time at which the invite was accepted; null unless accepted."),
    revokedAt: Instant.nullable().describe("Time at which the invite was revoked; null unless revoked."),
    createdByUserId: Id.nullable().describe("User who created the invite; null when no user did."),
  },
  createBody: {
    channels: Channels,
    email: Email.optional().describe("E-mail address that the portal account signs in with. Default the recorded e-mail address; required without one."),
    phone: Phone.optional().describe("Phone number for SMS; a number without a country code is a US number. Default the recorded phone number."),
  },
  deliveryResult: {
    inviteLink: z.url().describe("Link that opens the invite."),
    shortInviteLink: z
      .url()
      .nullable()
      .describe("Short redirect to `inviteLink` for text messages, valid as long as the invite; null when it could not be created."),
    emailDelivery: Delivery.nullable().describe("Result of sending the e-mail; null when `email` is not among the channels."),
    smsDelivery: Delivery.nullable().describe("Result of sending the text message; null when `sms` is not among the channels."),
  },
  /** Filters of the invite lists. */
  filters: {
    status: csvEnum(statuses).optional().describe("Statuses of the invite, comma-separated."),
    createdAfter: PlainDate.optional().describe("Only invites created on or after this day in the organization's time zone."),
    createdBefore: PlainDate.optional().describe("Only invites created on or before this day in the organization's time zone."),
  },
  resendBody: {
    channels: Channels,
    phone: Phone.optional().describe("Phone number for SMS; a number without a country code is a US number. Default the recorded phone number."),
  },
  resendDescription:
    "Sends a pending or expired invite with a new link that is valid for 7 days; the previous link stops working. " +
    "An accepted or revoked invite returns 409.",
  /** Returns the description of the operation that invites one kind of subject. */
  createDescription: (kind: string) =>
    `Creates an invite that is valid for 7 days; a pending invite of the same ${kind} is revoked. The account signs in with \`email\`, by default the ${kind}'s ` +
    `own address; one of the two is required for every channel. \`phone\` overrides the ${kind}'s phone number for SMS. Without consent or an SMS provider ` +
    "the text message is skipped and `smsDelivery` states the reason.",
};

export const TenantInvite = z
  .strictObject({
    ...portalInvite.members,
    tenantId: Id.describe("Invited tenant."),
    leaseId: Id.nullable().describe("Lease that the invite refers to; null for none."),
  })
  .meta({
    id: "TenantInvite",
    description: "An invite for a tenant to create a portal account, valid for 7 days. The token is derived on demand and never stored.",
  });
export type TenantInvite = z.output<typeof TenantInvite>;

export const tenantInvites = operationGroup("Tenant invites", "portfolio", {
  listTenantInvites: {
    method: "GET",
    path: "/api/tenant-invites",
    summary: "list tenant invites",
    access: officeRoles,
    query: listQuery(
      ["createdAt"],
      {
        tenantId: Id.optional().describe("Only invites of this tenant."),
        leaseId: Id.optional().describe("Only invites that refer to this lease."),
        ...portalInvite.filters,
      },
      "desc",
    ),
    response: page("invites", TenantInvite),
  },
  getTenantInvite: {
    method: "GET",
    path: "/api/tenant-invites/{id}",
    summary: "read tenant invites",
    access: officeRoles,
    response: { invite: TenantInvite.describe("Requested invite.") },
  },
  createTenantInvite: {
    method: "POST",
    path: "/api/tenant-invites",
    summary: "invite tenants",
    access: adminsAndManagers,
    description: portalInvite.createDescription("tenant"),
    body: body({
      tenantId: Id.describe("Tenant to invite, who must not have a portal account."),
      ...portalInvite.createBody,
      leaseId: Id.optional().describe("Lease that the invite refers to; the tenant must be on the lease."),
    }),
    response: { invite: TenantInvite.describe("Created invite."), ...portalInvite.deliveryResult },
    errors: [409],
    idempotent: true,
  },
  revokeTenantInvite: {
    method: "POST",
    path: "/api/tenant-invites/{id}/revoke",
    summary: "revoke tenant invites",
    access: adminsAndManagers,
    description: "Revokes a pending invite; its link stops working.",
    response: { invite: TenantInvite.describe("Revoked invite.") },
    errors: [409],
  },
  resendTenantInvite: {
    method: "POST",
    path: "/api/tenant-invites/{id}/resend",
    summary: "resend tenant invites",
    access: adminsAndManagers,
    description: portalInvite.resendDescription,
    body: body(portalInvite.resendBody),
    response: { invite: TenantInvite.describe("Resent invite."), ...portalInvite.deliveryResult },
    errors: [409],
    idempotent: true,
  },
});
