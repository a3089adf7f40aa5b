import { z } from "zod";
import { Note } from "./notes.ts";
import { area, body } from "./operation.ts";
import { taxId } from "./people.ts";
import { managers, office } from "./roles.ts";
import { Cents, Email, Flag, Id, Instant, listQuery, page, Phone, PlainDate, Search, text } from "./values.ts";

const Insurance = z
  .strictObject({
    kind: z.enum(["liability", "workers_comp", "auto", "other"]),
    provider: text(1, 160),
    policyNumber: text(1, 80),
    expiresOn: PlainDate,
    documentId: Id.nullable().default(null),
  })
  .meta({ id: "VendorInsurance" });

const optional = {
  email: Email.nullable(),
  phone: Phone.nullable(),
  trade: text(1, 120).nullable(),
  notes: z.string().trim().max(2000).nullable(),
  isActive: z.boolean(),
  companyName: text(1, 160).nullable(),
  contactName: text(1, 160).nullable(),
  address: text(1, 500).nullable(),
  categoryId: Id.nullable(),
  include1099: z.boolean(),
  w9ReceivedOn: PlainDate.nullable(),
  licenseExpiresOn: PlainDate.nullable(),
  paymentTermsDays: z.int().min(0).max(365).nullable(),
  insurances: z.array(Insurance).max(20),
};

export const Vendor = z
  .strictObject({
    id: Id,
    organizationId: Id,
    name: z.string(),
    ...optional,
    ...taxId.members,
    userId: Id.nullable(),
    portalStatus: z.enum(["none", "invited", "active", "locked"]),
    outstandingCents: Cents.meta({ description: "What is owed to the vendor. Always 0: bills of vendors are not kept here yet." }),
    createdAt: Instant,
    updatedAt: Instant,
    deletedAt: Instant.nullable(),
  })
  .meta({ id: "Vendor", description: "Who does work on a property." });
export type Vendor = z.output<typeof Vendor>;

const terms = { ...optional, ...taxId.terms, name: text(1, 160) };

export const vendors = area("Vendors", "portfolio", {
  listVendors: {
    method: "GET",
    path: "/api/vendors",
    summary: "list vendors",
    access: office,
    query: listQuery(["name", "trade", "outstandingCents", "createdAt"], {
      search: Search.optional(),
      trade: text(1, 120).optional(),
      isActive: Flag.optional(),
      insuranceExpiresBefore: PlainDate.optional().meta({ description: "Vendors with an insurance that runs out before this day, or has." }),
    }),
    returns: page("vendors", Vendor),
  },
  createVendor: {
    method: "POST",
    path: "/api/vendors",
    summary: "create vendors",
    access: managers,
    body: body(terms).partial().required({ name: true }),
    returns: { vendor: Vendor },
    idempotent: true,
  },
  getVendor: { method: "GET", path: "/api/vendors/{id}", summary: "read a vendor", access: office, returns: { vendor: Vendor, notes: z.array(Note) } },
  updateVendor: {
    method: "PATCH",
    path: "/api/vendors/{id}",
    summary: "change vendors",
    access: managers,
    description: "`insurances` replaces those the vendor has.",
    body: body(terms).partial(),
    returns: { vendor: Vendor, notes: z.array(Note) },
  },
  deleteVendor: {
    method: "DELETE",
    path: "/api/vendors/{id}",
    summary: "delete vendors",
    access: managers,
    description: "Soft-deletes. Refused with `resource_in_use` while a work order of the vendor is open or in progress.",
    returns: { vendor: Vendor },
    fails: [409],
  },
});
