/** Schemas and descriptions shared by the invites to the tenant, owner and vendor portals. */
import { z } from "zod";
import { csvEnum, Email, Id, Instant, Phone, PlainDate } from "../values.ts";
import type { PortalRole } from "../roles.ts";
import { channels, Delivery, INVITE_LIMITS } from "./people.ts";

const statuses = ["pending", "accepted", "revoked", "expired"] as const;
const Channels = z.array(z.enum(channels)).min(1).max(2).describe("Channels over which the invite is sent: `email`, `sms` or both.");

export const portalInviteSchemas = {
  members: {
    id: Id.describe("Unique identifier of the invite."),
    organizationId: Id.describe("Organization that sent the invite."),
    email: Email.describe("E-mail address that the portal account signs in with."),
    token: z.string().nullable().describe("Secret token of the invite link; null for callers with the role staff and for service keys."),
    status: z
      .enum(statuses)
      .describe("Status of the invite: `pending` until accepted, revoked or expired. An invite expires 7 days after being sent or resent."),
    expiresAt: Instant.describe("Time at which the invite expires."),
    createdAt: Instant.describe("Time at which the invite was created."),
    acceptedAt: Instant.nullable().describe("Time at which the invite was accepted; null unless accepted."),
    revokedAt: Instant.nullable().describe("Time at which the invite was revoked; null unless revoked."),
    createdByUserId: Id.nullable().describe("ID of the user or service key that created the invite, or null."),
  },
  createBody: {
    channels: Channels,
    email: Email.optional().describe(
      "E-mail address that the portal account signs in with. Defaults to the recorded e-mail address; required if none is recorded.",
    ),
    phone: Phone.optional().describe("Phone number for SMS; a number without a country code is a US number. Defaults to the recorded phone number."),
  },
  deliveryResult: {
    inviteLink: z.url().nullable().describe("Link that opens the invite; null for service keys, which invite people by a message only."),
    shortInviteLink: z
      .url()
      .nullable()
      .describe("Short redirect to `inviteLink` for text messages, valid as long as the invite; null when it could not be created and for service keys."),
    emailDelivery: Delivery.nullable().describe("Result of sending the e-mail; null when `email` is not among the channels."),
    smsDelivery: Delivery.nullable().describe("Result of sending the text message; null when `sms` is not among the channels."),
  },
  /** Filters of the invite lists. */
  filters: {
    status: csvEnum(statuses).optional().describe("Statuses of the invite, repeated or comma-separated."),
    createdAfter: PlainDate.optional().describe("Only invites created on or after this day in the organization's time zone."),
    createdBefore: PlainDate.optional().describe("Only invites created on or before this day in the organization's time zone."),
  },
  resendBody: {
    channels: Channels,
    phone: Phone.optional().describe("Phone number for SMS; a number without a country code is a US number. Defaults to the recorded phone number."),
  },
  resendDescription:
    "Resends a pending or expired invite with a new link that is valid for 7 days; the previous link stops working. " +
    "An accepted or revoked invite returns 409.",
  /** Returns the description of the operation that creates an invite to the portal of a kind of user. */
  createDescription: (kind: PortalRole) =>
    `Creates an invite that is valid for 7 days; pending and expired invites of the same ${kind} are revoked. The account signs in with \`email\`, which defaults ` +
    `to the ${kind}'s own address; an address is required for every channel. ` +
    (kind === "tenant"
      ? "`phone` overrides the tenant's phone number for SMS; consent is for one number. Without consent, after STOP and without an SMS provider the text message is skipped, and `smsDelivery` states the reason, such as `no_consent`."
      : `The office records consent to text messages for tenants only, so the text message to ${kind === "owner" ? "an owner" : "a vendor"} without a portal user who has given it is skipped with the error \`no_consent\`.`) +
    ` ${INVITE_LIMITS}`,
};
