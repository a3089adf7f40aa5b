import { z } from "zod";
import { FieldError } from "../errors.ts";
import { Note } from "../overview/notes.ts";
import { operationGroup, body } from "../operation.ts";
import { adminsAndManagers, officeRoles } from "../roles.ts";
import {
  csvEnum,
  DayOfMonth,
  Id,
  Instant,
  listQuery,
  NonNegativeCents,
  page,
  PlainDate,
  PositiveCents,
  Search,
  text,
  queryInteger,
  textList,
} from "../values.ts";

export const UnitType = z.enum(["residential", "commercial", "parking_space", "storage", "other"]);
const unitStatuses = ["occupied", "vacant", "maintenance"] as const;
export const FeeKind = z.enum(["rent", "fee"]);

export const FeeTemplateTerms = body({
  amountCents: PositiveCents.describe("Monthly amount of the fee in cents, at least 1."),
  categoryId: Id.describe("Account in the chart of accounts that the fee is posted to."),
  label: text(1, 160).describe("Name of the fee, as shown on charges."),
  defaultDueDay: DayOfMonth.nullable().optional().describe("Day of the month on which the fee is usually due; null when not specified."),
  kind: FeeKind.default("fee").describe("`rent` for a part of the rent, `fee` for an additional fee. Default `fee`."),
});

const FeeTemplate = z
  .strictObject({
    id: Id.describe("Unique identifier of the fee template."),
    unitId: Id.describe("Unit that the fee template belongs to."),
    label: z.string().describe("Name of the fee, as shown on charges."),
    amountCents: PositiveCents.describe("Monthly amount of the fee in cents."),
    categoryId: Id.describe("Account in the chart of accounts that the fee is posted to."),
    defaultDueDay: DayOfMonth.nullable().describe("Day of the month on which the fee is usually due; null when not specified."),
    kind: FeeKind.describe("`rent` for a part of the rent, `fee` for an additional fee."),
    createdAt: Instant.describe("Time at which the fee template was created."),
    updatedAt: Instant.describe("Time at which the fee template was last changed."),
  })
  .meta({ id: "FeeTemplate", description: "A recurring fee that is usual for new leases of a unit. A template alone charges nothing." });
export type FeeTemplate = z.output<typeof FeeTemplate>;

const terms = {
  unitNumber: z
    .string()
    .trim()
    .max(32)
    .nullable()
    .describe("Unit number as shown on the door, unique within the property regardless of case; null for a unit without a number."),
  unitType: UnitType.describe("Type of the unit."),
  bedrooms: z.int().min(0).max(100).nullable().describe("Number of bedrooms, 0 for a studio; null when not recorded."),
  // A tolerance in zod's `multipleOf` accepts 99.99999999999999; `refine` rejects such values.
  bathrooms: z
    .number()
    .min(0)
    .max(100)
    .multipleOf(0.5)
    .refine((count) => Number.isInteger(count * 2), { params: { code: "format" }, message: "Count baths in halves: 1, 1.5, 2." })
    .nullable()
    .describe("Number of bathrooms in steps of one half, such as 1.5; null when not recorded."),
  squareFeet: z.int().min(1).max(100_000_000).nullable().describe("Floor area in square feet; null when not recorded."),
  floor: z.int().min(-20).max(300).nullable().describe("Floor of the unit, negative below ground; null when not recorded."),
  marketRentCents: NonNegativeCents.nullable().describe("Monthly market rent in cents; null when not recorded."),
  monthlyRentCents: PositiveCents.describe("Monthly rent of the unit in cents, at least 1. The rent of a lease is recorded with the lease."),
  status: z
    .enum(unitStatuses)
    .describe("Status of the unit. `maintenance` is kept as set; once the unit has had a lease, `occupied` and `vacant` are derived from its occupants."),
  availableFrom: PlainDate.nullable().describe("First day on which the unit can be leased; null when not recorded."),
  amenities: z.array(text(1, 80)).max(100).describe("Amenities of the unit, in free text."),
  notes: z.string().trim().max(4000).nullable().describe("Internal remarks about the unit; null when there are none."),
};

export const Unit = z
  .strictObject({
    id: Id.describe("Unique identifier of the unit."),
    organizationId: Id.describe("Organization that manages the unit."),
    propertyId: Id.describe("Property that the unit belongs to."),
    propertyName: z.string().describe("Name of the property that the unit belongs to."),
    ...terms,
    currentLeaseId: Id.nullable().describe("Lease of the unit that is active today; null when there is none."),
    feeTemplates: z.array(FeeTemplate).describe("Fee templates of the unit, in the order in which they were added."),
    createdAt: Instant.describe("Time at which the unit was created."),
    updatedAt: Instant.describe("Time at which the unit was last changed."),
    deletedAt: Instant.nullable().describe("Time at which the unit was deleted; null unless deleted."),
  })
  .meta({
    id: "Unit",
    description:
      "A rentable part of a property: an apartment, an office, a parking space. Once a lease exists, `occupied` and `vacant` are derived from the occupants; " +
      "`maintenance` is kept as set.",
  });
export type Unit = z.output<typeof Unit>;

const FeeTemplates = z.array(FeeTemplateTerms).max(50).default([]).describe("Fee templates of the unit. Default none.");
export const UnitTerms = body({ ...terms, feeTemplates: FeeTemplates })
  .partial()
  .extend({
    monthlyRentCents: terms.monthlyRentCents,
    unitType: UnitType.default("residential").describe("Type of the unit. Default `residential`."),
    status: z.enum(unitStatuses).default("vacant").describe("Status of the unit until its first lease; `maintenance` is kept as set. Default `vacant`."),
    feeTemplates: FeeTemplates,
  });

const RowErrors = z.strictObject({
  index: z.int().min(0).describe("Zero-based position of the unit in `units` of the request."),
  errors: z.array(FieldError).describe("Errors of this unit."),
});

export const units = operationGroup("Units", "portfolio", {
  listUnits: {
    method: "GET",
    path: "/api/units",
    summary: "list units",
    access: officeRoles,
    query: listQuery(["unitNumber", "propertyName", "monthlyRentCents", "status", "createdAt"], {
      search: Search.optional().describe("Case-insensitive text to find in the unit number and the name of the property."),
      propertyId: Id.optional().describe("Only units of this property."),
      status: csvEnum(unitStatuses).optional().describe("Statuses of the unit as of today, repeated or comma-separated."),
      unitType: textList(UnitType).optional().describe("Types of the units, repeated or comma-separated."),
      bedroomsMin: queryInteger(0, 100).optional().describe("Minimum number of bedrooms."),
      vacantAsOf: PlainDate.optional().describe("Only units that are vacant on this day, future leases considered."),
    }),
    response: page("units", Unit),
  },
  createUnit: {
    method: "POST",
    path: "/api/units",
    summary: "create units",
    access: adminsAndManagers,
    description: "Unit numbers are unique within a property, regardless of case; a number in use returns 409 `duplicate`.",
    body: UnitTerms.extend({ propertyId: Id.describe("Property that the unit belongs to.") }),
    response: { unit: Unit.describe("Created unit.") },
    errors: [409],
    idempotent: true,
  },
  createUnits: {
    method: "POST",
    path: "/api/units/bulk",
    summary: "create units",
    access: adminsAndManagers,
    description: "Creates up to 200 units of one property, all or none. With `partial`, the valid units are created and `errors` lists the others.",
    body: body({
      propertyId: Id.describe("Property that the units belong to."),
      units: z
        .array(
          UnitTerms.or(z.unknown()).meta({
            override: ({ jsonSchema }) => {
              Object.assign(jsonSchema, jsonSchema.anyOf![0]);
              delete jsonSchema.anyOf;
            },
          }),
        )
        .min(1)
        .max(200)
        .describe("Units to create."),
      partial: z
        .boolean()
        .default(false)
        .describe("Whether to create the valid units when others are invalid or their numbers are in use. Default `false`: all or none."),
    }),
    response: {
      units: z.array(Unit).describe("Created units, in the order of the request."),
      errors: z.array(RowErrors).describe("Units that were not created, with their errors; empty unless `partial` is set."),
    },
    errors: [409],
    idempotent: true,
  },
  getUnit: {
    method: "GET",
    path: "/api/units/{id}",
    summary: "read a unit",
    access: officeRoles,
    response: { unit: Unit.describe("Requested unit."), notes: z.array(Note).describe("Notes about the unit, newest first, at most 100.") },
  },
  updateUnit: {
    method: "PATCH",
    path: "/api/units/{id}",
    summary: "change units",
    access: adminsAndManagers,
    body: body(terms).partial(),
    response: { unit: Unit.describe("Unit after the change."), notes: z.array(Note).describe("Notes about the unit, newest first, at most 100.") },
    errors: [409],
  },
  deleteUnit: {
    method: "DELETE",
    path: "/api/units/{id}",
    summary: "delete units",
    access: adminsAndManagers,
    description:
      "Soft-deletes the unit and cancels its draft leases. Returns 409 `resource_in_use` while a lease is active or pending, the unit is occupied, " +
      "or a work order or an inspection is unfinished.",
    response: { unit: Unit.describe("Deleted unit, with `deletedAt` set.") },
    errors: [409],
  },
});

export const feeTemplates = operationGroup("Unit fee templates", "portfolio", {
  listUnitFeeTemplates: {
    method: "GET",
    path: "/api/units/{unitId}/fee-templates",
    summary: "list the fee templates of a unit",
    access: adminsAndManagers,
    response: { feeTemplates: z.array(FeeTemplate).describe("Fee templates of the unit, in the order in which they were added, at most 50.") },
  },
  createUnitFeeTemplate: {
    method: "POST",
    path: "/api/units/{unitId}/fee-templates",
    summary: "create fee templates",
    access: adminsAndManagers,
    description: "A unit has at most 50 fee templates; one more returns 409 `resource_in_use`.",
    body: FeeTemplateTerms,
    response: { feeTemplate: FeeTemplate.describe("Created fee template.") },
    errors: [409],
    idempotent: true,
  },
  updateUnitFeeTemplate: {
    method: "PATCH",
    path: "/api/unit-fee-templates/{id}",
    summary: "change fee templates",
    access: adminsAndManagers,
    body: body({ ...FeeTemplateTerms.shape, kind: FeeKind.describe("`rent` for a part of the rent, `fee` for an additional fee.") }).partial(),
    response: { feeTemplate: FeeTemplate.describe("Fee template after the change.") },
  },
  deleteUnitFeeTemplate: {
    method: "DELETE",
    path: "/api/unit-fee-templates/{id}",
    summary: "delete fee templates",
    access: adminsAndManagers,
    description: "Deletes the template. Recurring charges with its terms stay unchanged.",
    response: { feeTemplate: FeeTemplate.describe("Deleted fee template.") },
  },
});
