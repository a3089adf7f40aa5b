import { z } from "zod";
import { area, body } from "./operation.ts";
import { channels, Delivery, FullName, User } from "./people.ts";
import { admins, managers, office, roles } from "./roles.ts";
import { CountryState, Email, Flag, Id, Instant, listQuery, NonNegativeCents, page, Phone, PostalCode, Search, text } from "./values.ts";

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
    prorationMethod: z.enum(["actual_days", "thirty_day", "annual_365"]),
    allocationOrder: z.array(z.enum(chargeTypes)).max(chargeTypes.length),
    autoAllocatePayments: z.boolean(),
    acceptPartialPayments: z.boolean(),
    lateFeeMaxBps: z.int().min(0).max(10_000).nullable(),
    lateFeeMaxCents: NonNegativeCents.nullable(),
    nsfFeeCents: NonNegativeCents,
    autoChargeNsfFee: z.boolean(),
    portalLockAfterReturns: z.int().min(1).max(100).nullable(),
    trustOverdraft: z.enum(["off", "warn", "block"]),
    vendorInsurance: z.enum(["off", "warn", "block"]),
    postDaysInAdvance: z.int().min(0).max(31),
    taxReportingThresholdCents: NonNegativeCents,
    defaultDepositDeadlineDays: z.int().min(1).max(365),
  })
  .meta({ id: "Policies", description: "The rules that an organization sets for itself." });
export type Policies = z.output<typeof Policies>;

const settable = {
  name: text(1, 160),
  timezone: text(1, 64).meta({ description: "IANA time zone; decides what day it is." }),
  locale: text(2, 32),
  addressLine1: text(1, 160).nullable(),
  addressLine2: text(1, 160).nullable(),
  city: text(1, 120).nullable(),
  state: CountryState.nullable(),
  postalCode: PostalCode.nullable(),
  phone: Phone.nullable(),
  email: Email.nullable(),
  logoDocumentId: Id.nullable(),
  fiscalYearStartMonth: z.int().min(1).max(12),
  defaultBasis: z.enum(["accrual", "cash"]),
};

export const Organization = z
  .strictObject({
    id: Id,
    slug: z.string(),
    currency: z.literal("USD"),
    ...settable,
    state: z.string().nullable(),
    policies: Policies,
    onboardingCompletedAt: Instant.nullable(),
    createdAt: Instant,
    updatedAt: Instant,
  })
  .meta({ id: "Organization" });
export type Organization = z.output<typeof Organization>;

export const accounts = area("Accounts", "identity", {
  getOrganization: { method: "GET", path: "/api/accounts/current", summary: "read the organization", access: office, returns: { organization: Organization } },
  updateOrganization: {
    method: "PATCH",
    path: "/api/accounts/current",
    summary: "change the organization",
    access: admins,
    description: "Only the members that are sent change; of `policies` likewise.",
    body: body({ ...settable, policies: Policies.partial() }).partial(),
    returns: { organization: Organization },
    fails: [412],
  },
  listUsers: {
    method: "GET",
    path: "/api/accounts/users",
    summary: "list users",
    access: managers,
    query: listQuery(["fullName", "email", "role", "lastLoginAt", "createdAt"], {
      search: Search.optional(),
      role: z.enum(roles).optional(),
      isActive: Flag.optional(),
    }),
    returns: page("users", User),
  },
  createUser: {
    method: "POST",
    path: "/api/accounts/users",
    summary: "invite users",
    access: admins,
    description: "Creates the user and sends an invite that lives seven days; the user signs in after accepting it.",
    body: body({
      email: Email,
      fullName: FullName,
      role: z.enum(["admin", "manager", "staff"]),
      phone: Phone.optional(),
      channels: z.array(z.enum(channels)).min(1).default(["email"]),
    }),
    returns: { user: User, inviteLink: z.url(), emailDelivery: Delivery.nullable(), smsDelivery: Delivery.nullable() },
    fails: [409],
    idempotent: true,
  },
  getUser: { method: "GET", path: "/api/accounts/users/{id}", summary: "read a user", access: managers, returns: { user: User } },
  updateUser: {
    method: "PATCH",
    path: "/api/accounts/users/{id}",
    summary: "change users",
    access: admins,
    description: "Ends the sessions of a user whose role changes or who is deactivated. The last active admin keeps both.",
    body: body({ fullName: FullName, phone: Phone.nullable(), role: z.enum(["admin", "manager", "staff"]), isActive: z.boolean() }).partial(),
    returns: { user: User },
    fails: [409],
  },
  resendUserInvite: {
    method: "POST",
    path: "/api/accounts/users/{id}/resend-invite",
    summary: "invite users again",
    access: admins,
    description: "Mails a new invite that lives seven days; the links before it are void. A user who has accepted, or who is not active, answers 409.",
    returns: { user: User, inviteLink: z.url() },
    fails: [409],
    idempotent: true,
  },
  deleteUser: { method: "DELETE", path: "/api/accounts/users/{id}", summary: "delete users", access: admins, returns: { user: User }, fails: [409] },
});
