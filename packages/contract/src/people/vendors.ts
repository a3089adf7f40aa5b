import { z } from "zod";
import { Note } from "../overview/notes.ts";
import { operationGroup, body } from "../operation.ts";
import { taxId } from "./people.ts";
import { adminsAndManagers, officeRoles } from "../roles.ts";
import { Cents, Email, QueryBoolean, Id, Instant, listQuery, page, Phone, PlainDate, Search, text } from "../values.ts";

const Insurance = z
  .strictObject({
    kind: z.enum(["liability", "workers_comp", "auto", "other"]).describe("Kind of insurance. The policy `vendorInsurance` checks `liability` insurance."),
    provider: text(1, 160).describe("Name of the insurance company."),
    policyNumber: text(1, 80).describe("Number of the insurance policy."),
    expiresOn: PlainDate.describe("Last day of coverage."),
    documentId: Id.nullable().default(null).describe("Document with the certificate of insurance; null for none."),
  })
  .meta({ id: "VendorInsurance", description: "An insurance policy of a vendor." });

const optional = {
  email: Email.nullable().describe("E-mail address to which notices about work orders are sent; null when not recorded."),
  phone: Phone.nullable().describe("Phone number of the vendor; null when not recorded."),
  trade: text(1, 120).nullable().describe("Trade of the vendor, in free text, such as `Plumbing`; null when not recorded."),
  notes: z.string().trim().max(2000).nullable().describe("Internal remarks about the vendor; null when there are none."),
  isActive: z.boolean().describe("Whether work orders can be assigned to the vendor; `true` unless set. Deleting a vendor sets `false`."),
  companyName: text(1, 160).nullable().describe("Registered company name of the vendor; null when not recorded."),
  contactName: text(1, 160).nullable().describe("Contact person of the vendor; null when not recorded."),
  address: text(1, 500).nullable().describe("Address of the vendor on one line; null when not recorded."),
  categoryId: Id.nullable().describe("Default expense account for the vendor's work, from the chart of accounts; null for none."),
  include1099: z.boolean().describe("Whether a form 1099-NEC is filed for payments to the vendor; `false` unless set."),
  w9ReceivedOn: PlainDate.nullable().describe("Day on which the vendor's form W-9 was received; null when not received."),
  licenseExpiresOn: PlainDate.nullable().describe("Last day on which the vendor's license is valid; null when not recorded."),
  paymentTermsDays: z.int().min(0).max(365).nullable().describe("Payment terms in days from the date of an invoice; null when not agreed."),
  insurances: z.array(Insurance).max(20).describe("Insurance policies of the vendor. An update replaces the whole list."),
};

export const Vendor = z
  .strictObject({
    id: Id.describe("Unique identifier of the vendor."),
    organizationId: Id.describe("Organization that the vendor works for."),
    name: z.string().describe("Name of the vendor."),
    ...optional,
    ...taxId.members,
    userId: Id.nullable().describe("User account of the vendor in the portal; null without an account."),
    portalStatus: z
      .enum(["none", "invited", "active", "locked"])
      .describe("Portal access: `none`, `invited` (an invite is pending), `active` (an account exists) or `locked` (access is suspended)."),
    outstandingCents: Cents.nullable().describe("Unpaid expenses of the vendor in cents. Null while the ledger is unavailable."),
    createdAt: Instant.describe("Time at which the vendor was created."),
    updatedAt: Instant.describe("Time at which the vendor was last changed."),
    deletedAt: Instant.nullable().describe("Time at which the vendor was deleted; null unless deleted."),
  })
  .meta({ id: "Vendor", description: "A person or company that does maintenance work on properties." });
export type Vendor = z.output<typeof Vendor>;

const terms = { ...optional, ...taxId.terms, name: text(1, 160).describe("Name of the vendor.") };
const withNotes = (vendor: string) => ({
  vendor: Vendor.describe(vendor),
  notes: z.array(Note).describe("Notes about the vendor, newest first, at most 100."),
});

export const vendors = operationGroup("Vendors", "portfolio", {
  listVendors: {
    method: "GET",
    path: "/api/vendors",
    summary: "list vendors",
    access: officeRoles,
    query: listQuery(["name", "trade", "outstandingCents", "createdAt"], {
      search: Search.optional().describe("Case-insensitive text to find in the name, company, contact person, e-mail address and trade."),
      trade: text(1, 120).optional().describe("Only vendors of this trade; the full text, case-insensitive."),
      isActive: QueryBoolean.optional().describe("`true` for active vendors, `false` for inactive vendors."),
      insuranceExpiresBefore: PlainDate.optional().describe("Only vendors with an insurance of any kind that expires, or has expired, on or before this day."),
    }),
    response: page("vendors", Vendor),
  },
  createVendor: {
    method: "POST",
    path: "/api/vendors",
    summary: "create vendors",
    access: adminsAndManagers,
    body: body(terms).partial().required({ name: true }),
    response: { vendor: Vendor.describe("Created vendor.") },
    idempotent: true,
  },
  getVendor: { method: "GET", path: "/api/vendors/{id}", summary: "read a vendor", access: officeRoles, response: withNotes("Requested vendor.") },
  updateVendor: {
    method: "PATCH",
    path: "/api/vendors/{id}",
    summary: "change vendors",
    access: adminsAndManagers,
    description: "`insurances` replaces all insurance policies of the vendor.",
    body: body(terms).partial(),
    response: withNotes("Vendor after the change."),
  },
  deleteVendor: {
    method: "DELETE",
    path: "/api/vendors/{id}",
    summary: "delete vendors",
    access: adminsAndManagers,
    description:
      "Soft-deletes the vendor. Returns 409 `resource_in_use` while a work order of the vendor is open or in progress or an expense is unpaid, and 503 while the ledger is unavailable.",
    response: { vendor: Vendor.describe("Deleted vendor, with `deletedAt` set.") },
    errors: [409],
  },
});
