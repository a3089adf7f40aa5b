import { z } from "zod";
import { leases } from "./leases.ts";
import { Note } from "./notes.ts";
import { area, body } from "./operation.ts";
import { managers, office } from "./roles.ts";
import { FeeTemplateTerms, units } from "./units.ts";
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

const Share = z.strictObject({ ownerId: Id, shareBps: z.int().min(1).max(10_000).meta({ description: "Basis points: 5000 is one half." }) });

const Ownership = z
  .strictObject({
    propertyId: Id,
    effectiveDate: PlainDate.nullable().meta({ description: "Since when it is so; null while nobody has said who owns how much." }),
    shares: z.array(Share),
  })
  .meta({ id: "Ownership", description: "Who owns how much of a property from a day on, until another ownership takes effect." });
export type Ownership = z.output<typeof Ownership>;

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
  getOwnership: {
    method: "GET",
    path: "/api/properties/{id}/ownership",
    summary: "read who owns a property",
    access: office,
    description: "As of a day, today by default. `history` holds every ownership of the property, also those to come, newest first.",
    query: z.strictObject({ asOf: PlainDate.optional() }),
    returns: { ownership: Ownership, history: z.array(Ownership) },
  },
  replaceOwnership: {
    method: "PUT",
    path: "/api/properties/{id}/ownership",
    summary: "change who owns a property",
    access: managers,
    description:
      "Takes effect on `effectiveDate`, which may lie behind or ahead; an ownership of the same day is replaced, others stay. The shares come to exactly 10000 basis points. `ownerIds` of the property follows on the day.",
    body: body({ effectiveDate: PlainDate, shares: z.array(Share).min(1).max(100) }),
    returns: { ownership: Ownership },
  },
  listPropertyUnits: {
    method: "GET",
    path: "/api/properties/{id}/units",
    summary: "list the units of a property",
    access: office,
    description: "As `GET /api/units` with the property given.",
    query: units.operations.listUnits.query.omit({ propertyId: true }),
    returns: units.operations.listUnits.returns,
  },
  listPropertyLeases: {
    method: "GET",
    path: "/api/properties/{id}/leases",
    summary: "list the leases of a property",
    access: office,
    description: "As `GET /api/leases` with the property given.",
    query: leases.operations.listLeases.query.omit({ propertyId: true }),
    returns: leases.operations.listLeases.returns,
  },
  deleteProperty: {
    method: "DELETE",
    path: "/api/properties/{id}",
    summary: "delete properties",
    access: managers,
    description: "Refused with `resource_in_use` while a lease is active or pending, money is open on it, or a work order or an inspection is not finished.",
    returns: { property: Property },
    fails: [409],
  },
});
