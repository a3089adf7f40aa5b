import { z } from "zod";
import { operationGroup, body } from "../operation.ts";
import { channels, Delivery, FullName, User, INVITE_LIMITS } from "../people/people.ts";
import { admins, adminsAndManagers, officeRoles, roles } from "../roles.ts";
import { csvEnum, StateCode, Email, QueryBoolean, Id, Instant, listQuery, NonNegativeCents, page, Phone, PostalCode, Search, text } from "../values.ts";
import { stateCodes } from "../states.ts";

export const chargeTypes = [
  "rent",
  "late_fee",
  "nsf_fee",
  "deposit",
  "parking",
  "utility",
  "pet",
  "cam",
  "tax",
  "insurance",
  "damage",
  "fee",
  "other",
] as const;

export const Policies = z
  .strictObject({
    prorationMethod: z
      .enum(["actual_days", "thirty_day", "annual_365"])
      .describe(
        "Method for prorating partial months of rent: `actual_days` divides by the days of the month, `thirty_day` by 30, `annual_365` divides twelve rents by 365. Default: `actual_days`.",
      ),
    allocationOrder: z
      .array(z.enum(chargeTypes))
      .max(chargeTypes.length)
      .describe(
        "Order in which automatic allocation pays charges due on the same day, by charge type. Charge types not listed come after those listed, but before `deposit` if that ends the list. Each is named at most once.",
      ),
    autoAllocatePayments: z.boolean().describe("Applies the unallocated credit of a tenant to new charges automatically. Default: `false`."),
    acceptPartialPayments: z.boolean().describe("Accepts portal payments below the amount due. Default: `true`."),
    lateFeeMaxBps: z.int().min(0).max(10_000).nullable().describe("Maximum late fee in basis points of the overdue amount (500 is 5 %). Null for no maximum."),
    lateFeeMaxCents: NonNegativeCents.nullable().describe("Maximum late fee in cents. Null for no maximum."),
    nsfFeeCents: NonNegativeCents.describe("Fee for a returned payment in cents, charged automatically when `autoChargeNsfFee` is set. Default: 0."),
    autoChargeNsfFee: z.boolean().describe("Charges `nsfFeeCents` when a payment is reversed for the reason `nsf`. Default: `false`."),
    portalLockAfterReturns: z
      .int()
      .min(1)
      .max(100)
      .nullable()
      .describe("Number of returned payments after which portal payments of a tenant are locked. Null for never."),
    trustOverdraft: z
      .enum(["off", "warn", "block"])
      .describe(
        "Handling of withdrawals that would overdraw trust funds: `off` permits them, `warn` permits them with a sentence in `warnings` of the response, `block` refuses them. Only payouts to owners must leave the reserve of a property; payments of expenses, fees, transfers and manual entries may use it. The reversal of a payment is never refused. Default: `block`.",
      ),
    vendorInsurance: z
      .enum(["off", "warn", "block"])
      .describe(
        "Handling of assignments and payments to vendors whose liability insurance has lapsed: `off` permits them, `warn` permits them with a warning, `block` refuses them. Default: `off`.",
      ),
    postDaysInAdvance: z.int().min(0).max(31).describe("Number of days before its due date at which a recurring charge is posted. Default: 0."),
    taxReportingThresholdCents: NonNegativeCents.describe(
      "Total payments to an owner or vendor in a year, in cents, at or above which an information return (form 1099) is due. Default: 200000.",
    ),
    defaultDepositDeadlineDays: z
      .int()
      .min(1)
      .max(365)
      .describe(
        "Number of days after the move-out within which a security deposit must be settled in a state without days of its own, or in all states once it is changed to fewer than theirs. Default: 30.",
      ),
    depositDeadlineDaysByState: z
      .partialRecord(z.enum(stateCodes), z.int().min(1).max(365))
      .describe(
        "Days after the move-out within which a security deposit must be settled, by the two-letter code of the state. They replace those of the state's statute in `GET /api/trust/deposit-deadlines`, more or fewer, and `defaultDepositDeadlineDays`; `depositDeadlineDays` of a property goes before them. A change replaces all of them, and applies to move-outs that are recorded afterwards. Default: none.",
      ),
  })
  .meta({ id: "Policies", description: "Accounting and operating policies of an organization." });
export type Policies = z.output<typeof Policies>;

const settable = {
  name: text(1, 160).describe("Name of the organization, shown in messages and in the portals."),
  timezone: text(1, 64).describe("IANA time zone of the organization, such as `America/New_York`. It determines the current date."),
  locale: text(2, 32).describe("Language and region of the organization as a language tag, such as `en-US`."),
  addressLine1: text(1, 160).nullable().describe("Street address of the organization, or null."),
  addressLine2: text(1, 160).nullable().describe("Second line of the organization's address, such as a suite, or null."),
  city: text(1, 120).nullable().describe("City of the organization, or null."),
  state: StateCode.nullable().describe("Two-letter state code of the organization, returned in upper case, or null."),
  postalCode: PostalCode.nullable().describe("ZIP code of the organization, five digits or ZIP+4, or null."),
  phone: Phone.nullable().describe("Phone number of the organization, or null. Numbers without a country code are US numbers; returned in E.164 format."),
  email: Email.nullable().describe("Contact e-mail address of the organization, or null."),
  logoDocumentId: Id.nullable().describe("ID of the document with the organization's logo, an image, or null."),
  fiscalYearStartMonth: z.int().min(1).max(12).describe("Month in which the fiscal year starts, 1 (January) to 12. Default: 1."),
  defaultBasis: z.enum(["accrual", "cash"]).describe("Accounting basis of reports that do not name one: `accrual` or `cash`. Default: `accrual`."),
};

export const Organization = z
  .strictObject({
    id: Id.describe("ID of the organization."),
    slug: z.string().describe("URL-safe name of the organization, derived from its name at sign-up and unique across organizations."),
    currency: z.literal("USD").describe("Currency of all amounts, always `USD`."),
    ...settable,
    state: z.string().nullable().describe("Two-letter state code of the organization in upper case, or null."),
    policies: Policies,
    onboardingCompletedAt: Instant.nullable().describe("Time at which the first admin completed the onboarding. Null until then."),
    createdAt: Instant.describe("Time at which the organization was created."),
    updatedAt: Instant.describe("Time at which the organization was last changed."),
  })
  .meta({ id: "Organization", description: "Property management company and its settings. All other resources belong to one organization." });
export type Organization = z.output<typeof Organization>;

const inviteLink = z.url().describe("Invite link, valid for seven days. Also usable when the e-mail could not be delivered.");
const officeRole = z.enum(officeRoles);

export const accounts = operationGroup("Accounts", "identity", {
  getOrganization: {
    method: "GET",
    path: "/api/accounts/current",
    summary: "read the organization",
    access: officeRoles,
    response: { organization: Organization },
  },
  updateOrganization: {
    method: "PATCH",
    path: "/api/accounts/current",
    summary: "change the organization",
    access: admins,
    description: "Changes only the members that are sent; the same applies to the members of `policies`.",
    body: body({
      ...settable,
      policies: Policies.partial().describe("Policies to change. Policies that are not sent remain unchanged."),
    }).partial(),
    response: { organization: Organization },
    errors: [412],
  },
  listUsers: {
    method: "GET",
    path: "/api/accounts/users",
    summary: "list users",
    access: adminsAndManagers,
    query: listQuery(["fullName", "email", "role", "lastLoginAt", "createdAt"], {
      search: Search.optional().describe("Return only users whose name or e-mail address contains this text, ignoring case."),
      role: csvEnum(roles).optional().describe("Roles of the users, repeated or comma-separated."),
      isActive: QueryBoolean.optional().describe("Return only users who may sign in (`true`), or only deactivated ones (`false`)."),
    }),
    response: page("users", User),
  },
  createUser: {
    method: "POST",
    path: "/api/accounts/users",
    summary: "invite users",
    access: admins,
    description: `Creates the user and sends an invite that is valid for seven days. The user can sign in after accepting it. ${INVITE_LIMITS}`,
    body: body({
      email: Email.describe("E-mail address the user signs in with, stored in lower case. Unique within the organization."),
      fullName: FullName.describe("Full name of the user."),
      role: officeRole.describe("Role of the user."),
      phone: Phone.optional().describe("Phone number of the user. Numbers without a country code are US numbers. Required for the channel `sms`."),
      channels: z
        .array(z.enum(channels))
        .min(1)
        .max(2)
        .default(["email"])
        .describe("Channels the invite is sent by. `sms` is skipped, because the user cannot have consented to text messages yet."),
    }),
    response: {
      user: User,
      inviteLink,
      emailDelivery: Delivery.nullable().describe("Result of the e-mail. Null when `channels` does not contain `email`."),
      smsDelivery: Delivery.nullable().describe("Result of the text message. Null when `channels` does not contain `sms`."),
    },
    errors: [409],
    idempotent: true,
  },
  getUser: { method: "GET", path: "/api/accounts/users/{id}", summary: "read a user", access: adminsAndManagers, response: { user: User } },
  updateUser: {
    method: "PATCH",
    path: "/api/accounts/users/{id}",
    summary: "change users",
    access: admins,
    description:
      "Changing the role or deactivating the user ends the user's sessions and invalidates the access tokens. The last active admin can be neither demoted nor deactivated (409 `last_admin`). A portal user whose tenant, owner or vendor was deleted cannot be activated again (409 `invalid_transition`).",
    body: body({
      fullName: FullName.describe("Full name of the user."),
      phone: Phone.nullable().describe("Phone number of the user; null removes it. A changed number ends the consent to text messages."),
      role: officeRole.describe("Role of the user. The role of a portal user cannot be changed."),
      isActive: z.boolean().describe("Permits the user to sign in. `false` deactivates the user."),
    }).partial(),
    response: { user: User },
    errors: [409],
  },
  resendUserInvite: {
    method: "POST",
    path: "/api/accounts/users/{id}/resend-invite",
    summary: "resend user invites",
    access: admins,
    description:
      "Sends a new invite that is valid for seven days; earlier links become invalid. Returns 409 when the user has already accepted an invite or is not active.",
    response: { user: User, inviteLink },
    errors: [409],
    idempotent: true,
  },
  deleteUser: {
    method: "DELETE",
    path: "/api/accounts/users/{id}",
    summary: "delete users",
    access: admins,
    description:
      "Ends the sessions of the user, invalidates the access tokens and revokes open invites. The e-mail address can be used again. The last active admin cannot be deleted (409 `last_admin`).",
    response: { user: User },
    errors: [409],
  },
});
