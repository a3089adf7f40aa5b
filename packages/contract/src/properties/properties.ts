import { z } from "zod";
import { leases } from "../leases/leases.ts";
import { Note } from "../overview/notes.ts";
import { operationGroup, body } from "../operation.ts";
import { adminsAndManagers, officeRoles } from "../roles.ts";
import { FeeTemplateTerms, units } from "./units.ts";
import {
  Cents,
  StateCode,
  QueryBoolean,
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
  textList,
} from "../values.ts";

const address = {
  streetLine1: text(1, 160).describe("Street number and street name."),
  streetLine2: text(1, 160).nullable().describe("Building, suite or floor; null when the address has no second line."),
  city: text(1, 120).describe("City or town."),
  state: StateCode.describe("Two-letter code of the state; converted to upper case."),
  postalCode: PostalCode.describe("ZIP code, five digits or ZIP+4."),
};
export const AssetClass = z.enum(["residential", "commercial", "mixed"]);
const terms = {
  name: text(1, 120).describe("Name of the property, shown on statements and in the portals."),
  ...address,
  assetClass: AssetClass.describe("Use of the property; `mixed` is residential and commercial."),
  units: z.int().min(1).max(100_000).describe("Number of units declared for the property. Responses return the number of unit records when that is higher."),
  occupiedUnits: z
    .int()
    .min(0)
    .describe("Number of occupied units, at most `units`. Once the property has unit records, responses return the count derived from them."),
};
const ownerIds = z
  .array(Id)
  .max(100)
  .refine((ids) => new Set(ids).size === ids.length, { params: { code: "unique" }, message: "Each owner may be named once." })
  .describe(
    "Owners of the property, each at most once. Once anything is posted for the property, it keeps at least one, and other owners own it from today on. Once ownership shares are recorded, owners change only by replacing the ownership.",
  );

/** Terms of the management agreement, all optional. */
const agreement = {
  reserveCents: NonNegativeCents.nullable().describe("Cash reserve to keep for the property, in cents; null when none is agreed."),
  additionalReserveCents: NonNegativeCents.nullable().describe(
    "Further amount in cents that is not paid out to the owners, such as for a repair that is planned; null for none. It is a term of its own in payouts and statements.",
  ),
  additionalReserveNote: text(1, 160).nullable().describe("Purpose of the additional reserve, shown in payouts and statements; null for none."),
  maintenanceLimitCents: NonNegativeCents.nullable().describe(
    "Amount in cents up to which the office approves maintenance estimates alone; higher estimates need an owner's approval. Null for no limit.",
  ),
  operatingBankAccountId: Id.nullable().describe(
    "Trust bank account for the operating money of the property, of the type `operating`; null for none of its own.",
  ),
  depositBankAccountId: Id.nullable().describe(
    "Trust bank account for the security deposits of the property, of the type `security_deposit`; null for none of its own.",
  ),
  managementStartDate: PlainDate.nullable().describe("First day of the management agreement; null when not recorded."),
  managementEndDate: PlainDate.nullable().describe("Last day of the management agreement, not before `managementStartDate`; null for open-ended."),
  depositDeadlineDays: z
    .int()
    .min(1)
    .max(365)
    .nullable()
    .describe(
      "Days after move-out within which a security deposit must be settled; null for those of the organization's policy `depositDeadlineDaysByState` or, without them, the days of the state or, if they were changed to fewer, the organization's `defaultDepositDeadlineDays`.",
    ),
};

export const Property = z
  .strictObject({
    id: Id.describe("Unique identifier of the property."),
    organizationId: Id.describe("Organization that manages the property."),
    ...terms,
    state: z.string().describe("Two-letter code of the state, in upper case."),
    occupiedUnits: z.int().describe("Number of occupied units: derived from the occupants of unit records, or as declared while there are no unit records."),
    ownerIds: z.array(Id).describe("Owners of the property as of today, in the order in which they were given."),
    ...agreement,
    openWorkOrderCount: z.int().optional().describe("Number of work orders of the property with status `open` or `in_progress`."),
    overduePostedRentCents: Cents.optional().describe(
      "Unpaid balance of posted rent charges of the property that are past their due date, in cents. Absent while the ledger is unavailable.",
    ),
    relations: z
      .strictObject({ owners: z.array(Person).describe("Owners of the property with their names, in the order of `ownerIds`.") })
      .optional()
      .describe("Records that the property refers to."),
    createdAt: Instant.describe("Time at which the property was created."),
    updatedAt: Instant.describe("Time at which the property was last changed."),
    deletedAt: Instant.nullable().describe("Time at which the property was deleted; null unless deleted."),
  })
  .meta({
    id: "Property",
    description:
      "A building or a group of units at one address. Once unit records exist, `occupiedUnits` is derived from them and `units` is at least their number.",
  });
export type Property = z.output<typeof Property>;

const Share = z.strictObject({
  ownerId: Id.describe("Owner of the share, at most once per ownership."),
  shareBps: z.int().min(1).max(10_000).describe("Share of the property in basis points: 5000 is one half."),
});

const Ownership = z
  .strictObject({
    propertyId: Id.describe("Property that is owned."),
    effectiveDate: PlainDate.nullable().describe("First day of the ownership; null when no shares are recorded for the requested day."),
    shares: z.array(Share).describe("Shares of the owners, adding up to 10000 basis points; empty when no shares are recorded."),
  })
  .meta({ id: "Ownership", description: "The owners of a property and their shares, from one day until the next ownership takes effect." });
export type Ownership = z.output<typeof Ownership>;

const withNotes = (property: string) => ({
  property: Property.describe(property),
  notes: z.array(Note).describe("Notes about the property, newest first, at most 100."),
});

export const properties = operationGroup("Properties", "portfolio", {
  listProperties: {
    method: "GET",
    path: "/api/properties",
    summary: "list properties",
    access: officeRoles,
    query: listQuery(["name", "city", "units", "occupiedUnits", "createdAt"], {
      search: Search.optional().describe("Case-insensitive text to find in the name, street, city and postal code."),
      ownerId: Id.optional().describe("Only properties of this owner, as of today."),
      assetClass: textList(AssetClass).optional().describe("Asset classes of the properties, repeated or comma-separated."),
      state: StateCode.optional().describe("Only properties in this state, by its two-letter code."),
      city: text(1, 120).optional().describe("Only properties in this city; the full name, case-insensitive."),
      hasVacancy: QueryBoolean.optional().describe("`true` for properties with at least one vacant unit, `false` for fully occupied properties."),
    }),
    response: page("properties", Property),
  },
  createProperty: {
    method: "POST",
    path: "/api/properties",
    summary: "create properties",
    access: adminsAndManagers,
    body: body({
      ...terms,
      streetLine2: address.streetLine2.optional(),
      assetClass: AssetClass.default("residential").describe("Use of the property; `mixed` is residential and commercial. Default `residential`."),
      ownerIds: ownerIds.default([]).describe("Owners of the property, each at most once. Default none."),
      initialUnit: body({
        bathrooms: z.int().min(0).max(100).describe("Number of bathrooms."),
        bedrooms: z.int().min(0).max(100).describe("Number of bedrooms."),
        monthlyRentCents: PositiveCents.describe("Monthly rent of the unit in cents, at least 1."),
        status: z.enum(["occupied", "vacant", "maintenance"]).describe("Status of the unit; `occupied` and `vacant` are derived once a lease exists."),
        unitNumber: z.string().trim().max(32).nullable().optional().describe("Unit number as shown on the door; null or empty for a unit without a number."),
        feeTemplates: z.array(FeeTemplateTerms).max(50).default([]).describe("Fee templates of the unit. Default none."),
      })
        .optional()
        .describe("First unit of the property, created in the same transaction. Its type is `commercial` for a commercial property, else `residential`."),
    }),
    response: withNotes("Created property."),
    idempotent: true,
  },
  getProperty: { method: "GET", path: "/api/properties/{id}", summary: "read a property", access: officeRoles, response: withNotes("Requested property.") },
  updateProperty: {
    method: "PATCH",
    path: "/api/properties/{id}",
    summary: "change properties",
    access: adminsAndManagers,
    body: body({ ...terms, ownerIds, ...agreement }).partial(),
    response: withNotes("Property after the change."),
  },
  getOwnership: {
    method: "GET",
    path: "/api/properties/{id}/ownership",
    summary: "read the ownership of a property",
    access: officeRoles,
    query: z.strictObject({ asOf: PlainDate.optional().describe("Day of the ownership to return; defaults to today in the organization's time zone.") }),
    response: {
      ownership: Ownership.describe("Ownership in effect on `asOf`."),
      history: z.array(Ownership).describe("Every ownership of the property, including future ones, newest first."),
    },
  },
  replaceOwnership: {
    method: "PUT",
    path: "/api/properties/{id}/ownership",
    summary: "replace the ownership of a property",
    access: adminsAndManagers,
    description:
      "Records the shares from `effectiveDate` on, which may be in the past or the future. An ownership with the same date is replaced; others are kept. The first recorded ownership keeps the other owners that the property has had, with equal shares, for the days before it; the same owners have their new shares on all days. " +
      "The shares must add up to exactly 10000 basis points. `ownerIds` of the property changes on the effective date.",
    body: body({
      effectiveDate: PlainDate.describe("First day of the ownership; may be in the past or the future."),
      shares: z.array(Share).min(1).max(100).describe("Shares of the owners, adding up to exactly 10000 basis points."),
    }),
    response: { ownership: Ownership.describe("Recorded ownership.") },
  },
  listPropertyUnits: {
    method: "GET",
    path: "/api/properties/{id}/units",
    summary: "list the units of a property",
    access: officeRoles,
    description: "Equivalent to `GET /api/units` with this `propertyId`.",
    query: units.operations.listUnits.query.omit({ propertyId: true }),
    response: units.operations.listUnits.response,
  },
  listPropertyLeases: {
    method: "GET",
    path: "/api/properties/{id}/leases",
    summary: "list the leases of a property",
    access: officeRoles,
    description: "Equivalent to `GET /api/leases` with this `propertyId`.",
    query: leases.operations.listLeases.query.omit({ propertyId: true }),
    response: leases.operations.listLeases.response,
  },
  deleteProperty: {
    method: "DELETE",
    path: "/api/properties/{id}",
    summary: "delete properties",
    access: adminsAndManagers,
    description:
      "Soft-deletes the property and its units, and cancels its draft leases. Returns 409 `resource_in_use` while a lease is active or pending, " +
      "a charge or an expense is unpaid, a bank account holds money of the property, or a work order or an inspection is unfinished.",
    response: { property: Property.describe("Deleted property, with `deletedAt` set.") },
    errors: [409],
  },
});
