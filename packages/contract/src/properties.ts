import { z } from "zod";
import { Note } from "./notes.ts";
import { area, body } from "./operation.ts";
import { managers, office } from "./roles.ts";
import { FeeTemplateTerms } from "./units.ts";
import {
  Cents,
  CountryState,
  Flag,
  Id,
  Instant,
  listQuery,
  NonNegativeCents,
  page,
  Person,
  PlainDate,
  PositiveCents,
  PostalCode,
  Search,
  text,
} from "./values.ts";

const address = {
  streetLine1: text(1, 160),
  streetLine2: text(1, 160).nullable(),
  city: text(1, 120),
  state: CountryState,
  postalCode: PostalCode,
};
const AssetClass = z.enum(["residential", "commercial", "mixed"]);
const terms = { name: text(1, 120), ...address, assetClass: AssetClass, units: z.int().min(1).max(100_000), occupiedUnits: z.int().min(0) };
const ownerIds = z
  .array(Id)
  .max(100)
  .refine((ids) => new Set(ids).size === ids.length, { params: { code: "unique" }, message: "Each owner may be named once." });

/** What the manager and the owner agreed on; all of it can be left open. */
const agreement = {
  reserveCents: NonNegativeCents.nullable(),
  maintenanceLimitCents: NonNegativeCents.nullable(),
  operatingBankAccountId: Id.nullable(),
  depositBankAccountId: Id.nullable(),
  managementStartDate: PlainDate.nullable(),
  managementEndDate: PlainDate.nullable(),
  depositDeadlineDays: z.int().min(1).max(365).nullable(),
};

export const Property = z
  .strictObject({
    id: Id,
    organizationId: Id,
    ...terms,
    state: z.string(),
    occupiedUnits: z.int(),
    ownerIds: z.array(Id),
    ...agreement,
    openWorkOrderCount: z.int().optional(),
    overduePostedRentCents: Cents.optional().meta({ description: "Absent while the ledger does not answer." }),
    relations: z.strictObject({ owners: z.array(Person) }).optional(),
    createdAt: Instant,
    updatedAt: Instant,
    deletedAt: Instant.nullable(),
  })
  .meta({
    id: "Property",
    description:
      "A building or a group of units at one address. Once unit rows exist, `occupiedUnits` is derived from them and `units` is at least their number.",
  });
export type Property = z.output<typeof Property>;

const withNotes = { property: Property, notes: z.array(Note) };

export const properties = area("Properties", "portfolio", {
  listProperties: {
    method: "GET",
    path: "/api/properties",
    summary: "list properties",
    access: office,
    query: listQuery(["name", "city", "units", "occupiedUnits", "createdAt"], {
      search: Search.optional(),
      ownerId: Id.optional(),
      assetClass: AssetClass.optional(),
      state: CountryState.optional(),
      city: text(1, 120).optional(),
      hasVacancy: Flag.optional(),
    }),
    returns: page("properties", Property),
  },
  createProperty: {
    method: "POST",
    path: "/api/properties",
    summary: "create properties",
    access: managers,
    body: body({
      ...terms,
      streetLine2: address.streetLine2.optional(),
      assetClass: AssetClass.default("residential"),
      ownerIds: ownerIds.default([]),
      initialUnit: body({
        bathrooms: z.int().min(0).max(100),
        bedrooms: z.int().min(0).max(100),
        monthlyRentCents: PositiveCents,
        status: z.enum(["occupied", "vacant", "maintenance"]),
        unitNumber: z.string().trim().max(32).nullable().optional(),
        feeTemplates: z.array(FeeTemplateTerms).max(50).default([]),
      }).optional(),
    }),
    returns: withNotes,
    idempotent: true,
  },
  getProperty: { method: "GET", path: "/api/properties/{id}", summary: "read a property", access: office, returns: withNotes },
  updateProperty: {
    method: "PATCH",
    path: "/api/properties/{id}",
    summary: "change properties",
    access: managers,
    body: body({ ...terms, ownerIds, ...agreement }).partial(),
    returns: withNotes,
  },
  deleteProperty: {
    method: "DELETE",
    path: "/api/properties/{id}",
    summary: "delete properties",
    access: managers,
    description: "Refused with `resource_in_use` while a lease is active or pending, or money is open on it.",
    returns: { property: Property },
    fails: [409],
  },
});
