import { z } from "zod";
import { Lease, leaseStatuses } from "../leases/leases.ts";
import { Note } from "../overview/notes.ts";
import { operationGroup, body } from "../operation.ts";
import { FullName } from "./people.ts";
import { adminsAndManagers, officeRoles } from "../roles.ts";
import { csvEnum, Cents, Email, QueryBoolean, Id, Instant, listQuery, page, Phone, PlainDate, Search, text } from "../values.ts";

const portalStatuses = ["none", "invited", "active", "locked"] as const;
const EmergencyContact = z.strictObject({
  name: text(1, 160).describe("Full name of the emergency contact."),
  phone: Phone.describe("Phone number of the emergency contact."),
  relationship: text(1, 80).nullable().optional().describe("Relationship to the tenant, in free text; null when not recorded."),
});
const optional = {
  firstName: text(1, 80).nullable().describe("Given name of the tenant; null when not recorded."),
  lastName: text(1, 80).nullable().describe("Family name of the tenant; null when not recorded."),
  companyName: text(1, 160).nullable().describe("Company that rents, or that the tenant represents; null for none."),
  email: Email.nullable().describe("E-mail address of the tenant; null when not recorded."),
  phone: Phone.nullable().describe("Phone number of the tenant, stored in E.164; a number without a country code is a US number. Null when not recorded."),
  alternatePhone: Phone.nullable().describe("Second phone number of the tenant, stored in E.164; null when not recorded."),
  dateOfBirth: PlainDate.nullable().describe("Date of birth of the tenant; null when not recorded."),
  preferredLanguage: text(2, 32).describe("Preferred language of the tenant as a language tag, such as `es`; `en` unless set."),
  emergencyContact: EmergencyContact.nullable().describe("Person to contact in an emergency; null when not recorded."),
  mailingAddress: text(1, 500).nullable().describe("Mailing address of the tenant on one line; null when not recorded."),
};

export const Tenant = z
  .strictObject({
    id: Id.describe("Unique identifier of the tenant."),
    organizationId: Id.describe("Organization that the tenant rents from."),
    fullName: z.string().describe("Full name of the tenant."),
    ...optional,
    dateOfBirth: PlainDate.nullable().describe("Date of birth of the tenant; null when not recorded, and for callers other than admins and managers."),
    userId: Id.nullable().describe("User account of the tenant in the portal; null without an account."),
    portalStatus: z
      .enum(portalStatuses)
      .describe("Portal access: `none`, `invited` (an invite is pending), `active` (an account exists) or `locked` (access is suspended)."),
    smsConsent: z
      .strictObject({
        granted: z.boolean().describe("Whether the tenant agreed to receive text messages. Without consent no text message is sent."),
        at: Instant.nullable().describe("Time at which consent was last given or withdrawn; null when never recorded, or after another phone number."),
        source: z
          .string()
          .nullable()
          .describe(
            "Proof of the consent, such as a signed lease, `portal` for a decision of the tenant in the portal, or `STOP` or `START` for one by text message; null when never recorded.",
          ),
      })
      .describe(
        "Consent of the tenant to receive text messages: the last decision that the office has recorded or that the tenant has made in the portal or by text message. Consent applies to the current phone number only, or without one to that of the portal account; a withdrawal in the portal counts for each number.",
      ),
    balanceCents: Cents.nullable().describe(
      "Balance of the tenant in cents: unpaid charges, including those not due yet, less unallocated payments; negative for a credit. The closing balance of the tenant's ledger can differ, since it ends today by default. Null while the ledger is unavailable.",
    ),
    currentLeaseId: Id.nullable().describe("Active lease with the tenant as primary occupant or co-tenant, the newest of several; null when there is none."),
    mergedIntoTenantId: Id.nullable().describe("Tenant that this duplicate was merged into; null unless merged."),
    createdAt: Instant.describe("Time at which the tenant was created."),
    updatedAt: Instant.describe("Time at which the tenant was last changed."),
    deletedAt: Instant.nullable().describe("Time at which the tenant was deleted; null unless deleted."),
  })
  .meta({ id: "Tenant", description: "A person or company on a lease." });
export type Tenant = z.output<typeof Tenant>;

const terms = { ...optional, fullName: FullName.describe("Full name of the tenant.") };
const RecordedConsent = body({
  granted: z.boolean().describe("Whether the tenant agreed to receive text messages: `true` records consent, `false` withdraws it."),
  source: text(1, 200).describe("Proof of the consent or its withdrawal, such as a signed lease or a phone call, stored for audits."),
}).describe("Consent of the tenant to text messages. It requires a phone number and ends when the phone number changes. Default: unchanged.");
const PossibleDuplicate = z.strictObject({
  id: Id.describe("Existing tenant who may be the same person."),
  fullName: z.string().describe("Full name of the existing tenant."),
  reason: z.enum(["email", "phone", "name"]).describe("Member in which the tenants agree: the e-mail address, the phone number or the full name."),
});
const withDetails = (tenant: string) => ({
  tenant: Tenant.describe(tenant),
  notes: z.array(Note).describe("Notes about the tenant, newest first, at most 100."),
  leases: z.array(Lease).describe("Leases on which the tenant is an occupant or guarantor, newest first, at most 100."),
});

export const tenants = operationGroup("Tenants", "portfolio", {
  listTenants: {
    method: "GET",
    path: "/api/tenants",
    summary: "list tenants",
    access: officeRoles,
    description: "Sorting by `balanceCents` returns 503 while the ledger is unavailable.",
    query: listQuery(["fullName", "email", "balanceCents", "createdAt"], {
      search: Search.optional().describe("Case-insensitive text to find in the name, company, e-mail address and phone number."),
      propertyId: Id.optional().describe("Only tenants who live at this property today, under whatever lease."),
      unitId: Id.optional().describe("Only tenants who live in this unit today, under whatever lease."),
      leaseStatus: csvEnum(leaseStatuses)
        .optional()
        .describe(
          "Only primary tenants and co-tenants of a lease with one of these statuses, repeated or comma-separated. Those who were released before it ended do not count.",
        ),
      portalStatus: csvEnum(portalStatuses).optional().describe("Portal statuses of the tenant, repeated or comma-separated."),
      hasBalance: QueryBoolean.optional().describe(
        "`true` for tenants whose unpaid charges exceed their unallocated payments, `false` for the others. Returns 503 while the ledger is unavailable.",
      ),
    }),
    response: page("tenants", Tenant),
  },
  createTenant: {
    method: "POST",
    path: "/api/tenants",
    summary: "create tenants",
    access: adminsAndManagers,
    description:
      "Existing tenants with the same e-mail address, phone number or name are returned in `possibleDuplicates`; " +
      "with `rejectDuplicates` the request returns 409 `duplicate` instead.",
    body: body({ ...terms, rejectDuplicates: z.boolean().describe("Whether to reject a tenant who has possible duplicates. Default `false`.") })
      .partial()
      .required({ fullName: true }),
    response: {
      tenant: Tenant.describe("Created tenant."),
      possibleDuplicates: z.array(PossibleDuplicate).describe("Existing tenants who may be the same person, at most 10, the strongest match first."),
    },
    errors: [409],
    idempotent: true,
  },
  getTenant: {
    method: "GET",
    path: "/api/tenants/{id}",
    summary: "read a tenant",
    access: officeRoles,
    response: withDetails("Requested tenant."),
  },
  updateTenant: {
    method: "PATCH",
    path: "/api/tenants/{id}",
    summary: "change tenants",
    access: adminsAndManagers,
    description:
      "Consent to text messages belongs to a phone number: a change of `phone` withdraws it, unless `smsConsent` is sent in the same request or the tenant has consented to the new number in the portal. " +
      "Consent to a number that has stopped text messages with STOP returns 409 `invalid_transition`: only START, sent from the number, allows them again.",
    body: body({ ...terms, smsConsent: RecordedConsent }).partial(),
    response: withDetails("Tenant after the change."),
    errors: [409],
  },
  deleteTenant: {
    method: "DELETE",
    path: "/api/tenants/{id}",
    summary: "delete tenants",
    access: adminsAndManagers,
    description:
      "Soft-deletes the tenant. Returns 409 `resource_in_use` while the tenant is on a draft, pending or active lease, lives in a unit under another lease, " +
      "has a balance other than zero, or a security deposit of the tenant is held.",
    response: { tenant: Tenant.describe("Deleted tenant, with `deletedAt` set.") },
    errors: [409],
  },
  mergeTenants: {
    method: "POST",
    path: "/api/tenants/{id}/merge",
    summary: "merge tenants",
    access: adminsAndManagers,
    description:
      "Transfers the duplicate's leases, work orders, notes, documents, invites, charges, payments and portal account to the tenant in the path. " +
      "Empty members of the tenant are filled from the duplicate; SMS consent is transferred together with the phone number. " +
      "The duplicate is soft-deleted and refers to the tenant in `mergedIntoTenantId`. Charges and payments follow within a second; " +
      "lines of posted journal entries keep the tenant they were posted for. Returns 409 `resource_in_use` while both tenants have a portal account, or are " +
      "on the same draft, pending or active lease, or live together under a lease that has expired or was terminated for a later day; on a lease that has ended, " +
      "one of the two entries is kept.",
    body: body({ duplicateTenantId: Id.describe("Duplicate to merge into the tenant in the path.") }),
    response: { tenant: Tenant.describe("Tenant after the merge.") },
    errors: [409],
    idempotent: true,
  },
});
