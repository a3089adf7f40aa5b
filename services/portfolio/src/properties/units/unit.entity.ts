import { FeeKind, UnitType } from "@freehold/contract/properties/units";
import { cents, defineEntity, inOrganization, inPortalReach, enumText, orgColumns, p, plainDate, textArray } from "@freehold/kit/db/entity";

const UnitSchema = defineEntity({
  name: "Unit",
  tableName: "unit",
  ...inPortalReach,
  uniques: [{ name: "unit_of_one_property", properties: ["organizationId", "propertyId", "id"] }],
  indexes: [
    { name: "unit_by_number", properties: ["organizationId", "unitNumber", "id"] },
    { name: "unit_by_change", properties: ["organizationId", "updatedAt"] },
    {
      name: "unit_number_once_in_property",
      expression: `create unique index unit_number_once_in_property on unit (organization_id, property_id, same_number) where deleted_at is null`,
    },
  ],
  properties: {
    ...orgColumns,
    propertyId: p.uuid(),
    unitNumber: p.text().nullable(),
    unitType: enumText(UnitType.options),
    bedrooms: p.integer().nullable(),
    bathrooms: p.double().nullable(),
    squareFeet: p.integer().nullable(),
    floor: p.integer().nullable(),
    marketRentCents: cents().nullable(),
    monthlyRentCents: cents(),
    status: enumText(["occupied", "vacant", "maintenance"]),
    availableFrom: plainDate().nullable(),
    amenities: textArray(),
    notes: p.text().nullable(),
    /** Lower-case copy, unique within the property. */
    sameNumber: p.text().nullable().generated("lower(unit_number) stored"),
    deletedAt: p.datetime(3).nullable(),
  },
});
/**
 * Unit of a property. `status` is the status declared by the office; once the unit has been leased, views derive the status from
 * the occupancy, except `maintenance`.
 */
export class Unit extends UnitSchema.class {}
UnitSchema.setClass(Unit);

const UnitFeeTemplateSchema = defineEntity({
  name: "UnitFeeTemplate",
  tableName: "unit_fee_template",
  ...inOrganization,
  indexes: [{ name: "unit_fee_template_by_unit", properties: ["organizationId", "unitId"] }],
  properties: {
    ...orgColumns,
    unitId: p.uuid(),
    label: p.text(),
    amountCents: cents(),
    categoryId: p.uuid(),
    defaultDueDay: p.integer().nullable(),
    kind: enumText(FeeKind.options),
    position: p.integer(),
  },
});
/** Suggested recurring rent or fee for new leases of the unit. A template charges nothing by itself. */
export class UnitFeeTemplate extends UnitFeeTemplateSchema.class {}
UnitFeeTemplateSchema.setClass(UnitFeeTemplate);
