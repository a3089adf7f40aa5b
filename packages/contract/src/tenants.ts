import { z } from "zod";
import { Lease, leaseStatuses } from "./leases.ts";
import { Note } from "./notes.ts";
import { area, body } from "./operation.ts";
import { FullName } from "./people.ts";
import { managers, office } from "./roles.ts";
import { anyOf, Cents, Email, Flag, Id, Instant, listQuery, page, Phone, PlainDate, Search, text } from "./values.ts";

const portalStatuses = ["none", "invited", "active", "locked"] as const;
const EmergencyContact = z.strictObject({ name: text(1, 160), phone: Phone, relationship: text(1, 80).nullable().optional() });
const optional = {
  firstName: text(1, 80).nullable(),
  lastName: text(1, 80).nullable(),
  companyName: text(1, 160).nullable(),
  email: Email.nullable(),
  phone: Phone.nullable(),
  alternatePhone: Phone.nullable(),
  dateOfBirth: PlainDate.nullable(),
  preferredLanguage: text(2, 32),
  emergencyContact: EmergencyContact.nullable(),
  mailingAddress: text(1, 500).nullable(),
};

export const Tenant = z
  .strictObject({
    id: Id,
    organizationId: Id,
    fullName: z.string(),
    ...optional,
    dateOfBirth: PlainDate.nullable().meta({ description: "Null to everyone but admins and managers." }),
    userId: Id.nullable(),
    portalStatus: z.enum(portalStatuses),
    smsConsent: z.strictObject({ granted: z.boolean(), at: Instant.nullable() }),
    balanceCents: Cents.nullable().meta({ description: "What the tenant owes, less unallocated credit. Null while the ledger does not answer." }),
    currentLeaseId: Id.nullable(),
    mergedIntoTenantId: Id.nullable().meta({ description: "Of a deleted one that was a duplicate: the tenant whom all of it went to." }),
    createdAt: Instant,
    updatedAt: Instant,
    deletedAt: Instant.nullable(),
  })
  .meta({ id: "Tenant", description: "Who rents." });
export type Tenant = z.output<typeof Tenant>;

const terms = { ...optional, fullName: FullName };

export const tenants = area("Tenants", "portfolio", {
  listTenants: {
    method: "GET",
    path: "/api/tenants",
    summary: "list tenants",
    access: office,
    description: "The sort by balance answers 503 while the ledger does not answer.",
    query: listQuery(["fullName", "email", "balanceCents", "createdAt"], {
      search: Search.optional(),
      propertyId: Id.optional(),
      unitId: Id.optional(),
      leaseStatus: anyOf(leaseStatuses).optional().meta({ description: "Tenants who are on a lease of one of these statuses. Comma-separated." }),
      portalStatus: anyOf(portalStatuses).optional(),
      hasBalance: Flag.optional().meta({ description: "Whether the tenant owes more than there is credit for. 503 while the ledger does not answer." }),
    }),
    returns: page("tenants", Tenant),
  },
  createTenant: {
    method: "POST",
    path: "/api/tenants",
    summary: "create tenants",
    access: managers,
    description:
      "A tenant with the same e-mail, phone or name is reported in `possibleDuplicates`; with `rejectDuplicates` it is refused as `duplicate` instead.",
    body: body({ ...terms, rejectDuplicates: z.boolean() })
      .partial()
      .required({ fullName: true }),
    returns: { tenant: Tenant, possibleDuplicates: z.array(z.strictObject({ id: Id, fullName: z.string(), reason: z.enum(["email", "phone", "name"]) })) },
    fails: [409],
    idempotent: true,
  },
  getTenant: {
    method: "GET",
    path: "/api/tenants/{id}",
    summary: "read a tenant",
    access: office,
    returns: { tenant: Tenant, notes: z.array(Note), leases: z.array(Lease) },
  },
  updateTenant: {
    method: "PATCH",
    path: "/api/tenants/{id}",
    summary: "change tenants",
    access: managers,
    body: body(terms).partial(),
    returns: { tenant: Tenant, notes: z.array(Note), leases: z.array(Lease) },
  },
  deleteTenant: {
    method: "DELETE",
    path: "/api/tenants/{id}",
    summary: "delete tenants",
    access: managers,
    description: "Soft-deletes. Refused with `resource_in_use` while the tenant is on a draft, pending or active lease, or owes or is owed money.",
    returns: { tenant: Tenant },
    fails: [409],
  },
  mergeTenants: {
    method: "POST",
    path: "/api/tenants/{id}/merge",
    summary: "merge tenants",
    access: managers,
    description:
      "All that hangs on the duplicate goes to the tenant in the path: leases, work orders, notes, documents, invites, charges, payments and the portal account. What the tenant left empty is filled in from the duplicate; an agreement to text messages comes along with its phone number. The duplicate is soft-deleted and says whom it went to. Charges and payments follow within a second; the lines of posted journal entries keep the tenant they were posted for. Refused with `resource_in_use` while both have a portal account, or are both on a lease that is a draft, pending or active; where both are on a lease that is over, one of them stays on it.",
    body: body({ duplicateTenantId: Id.meta({ description: "The tenant that is no other than the one in the path." }) }),
    returns: { tenant: Tenant },
    fails: [409],
    idempotent: true,
  },
});
