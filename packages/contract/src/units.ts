import { z } from "zod";
import { FieldError } from "./errors.ts";
import { Note } from "./notes.ts";
import { area, body } from "./operation.ts";
import { managers, office } from "./roles.ts";
import { anyOf, DayOfMonth, Id, Instant, listQuery, NonNegativeCents, page, PlainDate, PositiveCents, Search, text, whole } from "./values.ts";

const UnitType = z.enum(["residential", "commercial", "parking_space", "storage", "other"]);
const unitStatuses = ["occupied", "vacant", "maintenance"] as const;

export const FeeTemplateTerms = body({
  amountCents: PositiveCents,
  categoryId: Id,
  label: text(1, 160),
  defaultDueDay: DayOfMonth.nullable().optional(),
  kind: z.enum(["rent", "fee"]).default("fee"),
});

const FeeTemplate = z
  .strictObject({
    id: Id,
    unitId: Id,
    label: z.string(),
    amountCents: PositiveCents,
    categoryId: Id,
    defaultDueDay: DayOfMonth.nullable(),
    kind: z.enum(["rent", "fee"]),
    createdAt: Instant,
    updatedAt: Instant,
  })
  .meta({ id: "FeeTemplate", description: "A fee that new leases of the unit usually carry." });
export type FeeTemplate = z.output<typeof FeeTemplate>;

const terms = {
  unitNumber: z.string().trim().max(32).nullable(),
  unitType: UnitType,
  bedrooms: z.int().min(0).max(100).nullable(),
  // zod's `multipleOf` forgives what a float loses, 99.99999999999999 too.
  bathrooms: z
    .number()
    .min(0)
    .max(100)
    .multipleOf(0.5)
    .refine((count) => Number.isInteger(count * 2), { params: { code: "format" }, message: "Count baths in halves: 1, 1.5, 2." })
    .nullable(),
  squareFeet: z.int().min(1).max(100_000_000).nullable(),
  floor: z.int().min(-20).max(300).nullable(),
  marketRentCents: NonNegativeCents.nullable(),
  monthlyRentCents: PositiveCents,
  status: z.enum(unitStatuses),
  availableFrom: PlainDate.nullable(),
  amenities: z.array(text(1, 80)).max(100),
  notes: z.string().trim().max(4000).nullable(),
};

export const Unit = z
  .strictObject({
    id: Id,
    organizationId: Id,
    propertyId: Id,
    propertyName: z.string(),
    ...terms,
    currentLeaseId: Id.nullable(),
    feeTemplates: z.array(FeeTemplate),
    createdAt: Instant,
    updatedAt: Instant,
    deletedAt: Instant.nullable(),
  })
  .meta({
    id: "Unit",
    description: "What a lease is about. `occupied` and `vacant` follow from who lives there once a lease exists; `maintenance` is kept as set.",
  });
export type Unit = z.output<typeof Unit>;

const FeeTemplates = z.array(FeeTemplateTerms).max(50).default([]);
const UnitTerms = body({ ...terms, feeTemplates: FeeTemplates })
  .partial()
  .extend({
    monthlyRentCents: PositiveCents,
    unitType: UnitType.default("residential"),
    status: z.enum(unitStatuses).default("vacant"),
    feeTemplates: FeeTemplates,
  });

const RowErrors = z.strictObject({ index: z.int().min(0).meta({ description: "The place in `units`, counted from 0." }), errors: z.array(FieldError) });

export const units = area("Units", "portfolio", {
  listUnits: {
    method: "GET",
    path: "/api/units",
    summary: "list units",
    access: office,
    query: listQuery(["unitNumber", "propertyName", "monthlyRentCents", "status", "createdAt"], {
      search: Search.optional(),
      propertyId: Id.optional(),
      status: anyOf(unitStatuses).optional(),
      unitType: UnitType.optional(),
      bedroomsMin: whole(0, 100).optional(),
      vacantAsOf: PlainDate.optional(),
    }),
    returns: page("units", Unit),
  },
  createUnit: {
    method: "POST",
    path: "/api/units",
    summary: "create units",
    access: managers,
    description: "A unit number is unique within its property, whatever its case.",
    body: UnitTerms.extend({ propertyId: Id }),
    returns: { unit: Unit },
    fails: [409],
    idempotent: true,
  },
  createUnits: {
    method: "POST",
    path: "/api/units/bulk",
    summary: "create units",
    access: managers,
    description:
      "Up to 200 units of one property: all of them or none. With `partial` those whose number is free are created, and `errors` names each other one.",
    body: body({ propertyId: Id, units: z.array(UnitTerms).min(1).max(200), partial: z.boolean().default(false) }),
    returns: { units: z.array(Unit), errors: z.array(RowErrors) },
    fails: [409],
    idempotent: true,
  },
  getUnit: { method: "GET", path: "/api/units/{id}", summary: "read a unit", access: office, returns: { unit: Unit, notes: z.array(Note) } },
  updateUnit: {
    method: "PATCH",
    path: "/api/units/{id}",
    summary: "change units",
    access: managers,
    body: body(terms).partial(),
    returns: { unit: Unit },
    fails: [409],
  },
  deleteUnit: {
    method: "DELETE",
    path: "/api/units/{id}",
    summary: "delete units",
    access: managers,
    description:
      "Soft-deletes; drafts of leases for the unit are cancelled. Refused with `resource_in_use` while a lease is active or pending, somebody lives there, or a work order or an inspection is open.",
    returns: { unit: Unit },
    fails: [409],
  },
});

export const feeTemplates = area("Unit fee templates", "portfolio", {
  listUnitFeeTemplates: {
    method: "GET",
    path: "/api/units/{unitId}/fee-templates",
    summary: "list the fee templates of a unit",
    access: managers,
    returns: { feeTemplates: z.array(FeeTemplate) },
  },
  createUnitFeeTemplate: {
    method: "POST",
    path: "/api/units/{unitId}/fee-templates",
    summary: "create fee templates",
    access: managers,
    body: FeeTemplateTerms,
    returns: { feeTemplate: FeeTemplate },
    fails: [409],
    idempotent: true,
  },
  updateUnitFeeTemplate: {
    method: "PATCH",
    path: "/api/unit-fee-templates/{id}",
    summary: "change fee templates",
    access: managers,
    body: body({ ...FeeTemplateTerms.shape, kind: z.enum(["rent", "fee"]) }).partial(),
    returns: { feeTemplate: FeeTemplate },
  },
  deleteUnitFeeTemplate: {
    method: "DELETE",
    path: "/api/unit-fee-templates/{id}",
    summary: "delete fee templates",
    access: managers,
    returns: { feeTemplate: FeeTemplate },
  },
});
