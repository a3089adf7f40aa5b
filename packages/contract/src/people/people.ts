/** Users, the response of every kind of sign-in, tax ids, and deliveries of messages. */
import { z } from "zod";
import { roles } from "../roles.ts";
import { Email, Id, Instant, text } from "../values.ts";

const consent = (granted: string, at: string) =>
  z.strictObject({
    granted: z.boolean().describe(granted),
    at: Instant.nullable().describe(at),
  });

export const User = z
  .strictObject({
    id: Id.describe("ID of the user."),
    organizationId: Id.describe("ID of the organization the user belongs to."),
    email: Email.describe("E-mail address the user signs in with, in lower case. Unique within the organization."),
    fullName: z.string().describe("Full name of the user. For a service key, the name of the key."),
    phone: z.string().nullable().describe("Phone number of the user in E.164 format, or null."),
    role: z.enum(roles).describe("Role of the user. `admin`, `manager` and `staff` work in the office; `tenant`, `owner` and `vendor` use a portal."),
    subjectId: Id.nullable().describe("ID of the tenant, owner or vendor that a portal user represents. Null for office users."),
    isActive: z.boolean().describe("Indicates that the user may sign in."),
    emailConfirmedAt: Instant.nullable().describe("Time at which the e-mail address was confirmed. Null while it is unconfirmed."),
    onboardingCompletedAt: Instant.nullable().describe("Time at which the user completed the onboarding. Null until then."),
    locale: z.string().describe("Language and region of the user as a language tag, such as `en-US`."),
    smsConsent: consent(
      "Indicates that the user consents to text messages.",
      "Time at which consent to text messages was last given or withdrawn. Null when it was never given, or ended with a changed phone number. STOP from the phone number withdraws consent, and START restores it.",
    ).describe("Consent of the user to text messages. It applies to the current phone number only."),
    emailConsent: consent(
      "Indicates that the user consents to e-mail messages.",
      "Time at which consent to e-mail messages was last given or withdrawn. Null when it was never given.",
    ).describe("Consent of the user to e-mail messages."),
    lastLoginAt: Instant.nullable().describe("Time of the last sign-in. Null before the first sign-in."),
    createdAt: Instant.describe("Time at which the user was created."),
    deletedAt: Instant.nullable().describe("Time at which the user was deleted. Null for a user who was not deleted."),
  })
  .meta({ id: "User", description: "Person who can sign in to one organization." });
export type User = z.output<typeof User>;

export const Password = z.string().min(8).max(128);
export const FullName = text(1, 160);

/** Response of every kind of sign-in. The refresh token is in the cookie `service_refresh_token`. */
export const authResult = {
  accessToken: z.string().describe("Access token (JWT), sent as `Authorization: Bearer <accessToken>`."),
  tokenType: z.literal("Bearer").describe("Type of the access token, always `Bearer`."),
  expiresIn: z.int().min(1).max(900).describe("Lifetime of the access token in seconds: 900, or less for a service key that expires sooner."),
  user: User.describe("User who is signed in. For a service key, a user with the ID, name and role of the key."),
  organization: z
    .strictObject({
      id: Id.describe("ID of the organization."),
      name: z.string().describe("Name of the organization."),
      slug: z.string().describe("URL-safe name of the organization, unique across organizations."),
      timezone: z.string().describe("IANA time zone of the organization. It determines the current date."),
    })
    .describe("Organization the user is signed in to."),
};

/** Limits that the descriptions of all operations that send invites mention. */
export const INVITE_LIMITS =
  "Before an admin has confirmed their e-mail address with a mailed link, an organization can send fifty invites to users and portals together, resent ones included (403 `email_unconfirmed`); one recipient gets a limited number of invites of a kind in a day (429; ten by default).";

const taxIdTypes = ["ssn", "ein"] as const;
const TAX_ID_TYPE_DESCRIPTION = "Type of the tax ID: `ssn` (Social Security number) or `ein` (Employer Identification Number).";

/** Tax ID of an owner or a vendor: the members of responses, and the members of request bodies. */
export const taxId = {
  members: {
    taxIdType: z.enum(taxIdTypes).nullable().describe(`${TAX_ID_TYPE_DESCRIPTION} Null when no tax ID is stored.`),
    taxIdLast4: z.string().nullable().describe("Last four digits of the tax ID, or null. The full number is stored encrypted and never returned."),
  },
  terms: {
    taxIdType: z.enum(taxIdTypes).nullable().describe(`${TAX_ID_TYPE_DESCRIPTION} Sent together with \`taxId\`. Null removes the stored tax ID.`),
    taxId: z
      .string()
      .trim()
      .max(11)
      .nullable()
      .describe(
        "Tax ID of nine digits, as `123-45-6789` or `12-3456789`; write-only. Sent together with `taxIdType`. Null removes the stored tax ID with its type.",
      ),
  },
};

/** Result of handing a message to a provider. */
export const Delivery = z
  .strictObject({
    provider: z
      .string()
      .describe("Provider of the message: `smtp` (mail server), `outbox` (development outbox) or `sms`; `email` when the message could not be handed over."),
    status: z
      .string()
      .describe(
        "Status of the message: `sent`, `queued` (delivery is still being attempted), `skipped` (no consent, or no provider is configured) or `failed`.",
      ),
    messageId: z.string().optional().describe("ID of the message. Absent when no message was created."),
    error: z
      .string()
      .optional()
      .describe(
        "Reason why the message was skipped, delayed or failed, such as `no_consent`, `not_configured` or `invalid_address`. Absent for other messages.",
      ),
  })
  .meta({ id: "Delivery", description: "Result of sending a message." });
export type Delivery = z.output<typeof Delivery>;

export const channels = ["email", "sms"] as const;
