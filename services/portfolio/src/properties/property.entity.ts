import { AssetClass } from "@freehold/contract/properties/properties";
import { cents, defineEntity, inPortalReach, enumText, orgColumns, p, plainDate } from "@freehold/kit/db/entity";
import { normalizedSql } from "../db/normalized.ts";

const PropertySchema = defineEntity({
  name: "Property",
  tableName: "property",
  ...inPortalReach,
  indexes: [
    { name: "property_by_name", properties: ["organizationId", "name"] },
    { name: "property_by_change", properties: ["organizationId", "updatedAt"] },
    { name: "property_by_match_name", expression: `create index property_by_match_name on property (organization_id, match_name) where deleted_at is null` },
    {
      name: "property_by_match_address",
      expression: `create index property_by_match_address on property (organization_id, match_address) where deleted_at is null`,
    },
  ],
  properties: {
    ...orgColumns,
    name: p.text(),
    streetLine1: p.text().name("street_line1"),
    streetLine2: p.text().name("street_line2").nullable(),
    city: p.text(),
    state: p.text(),
    postalCode: p.text(),
    assetClass: enumText(AssetClass.options),
    units: p.integer(),
    occupiedUnits: p.integer(),
    reserveCents: cents().nullable(),
    additionalReserveCents: cents().nullable(),
    additionalReserveNote: p.text().nullable(),
    maintenanceLimitCents: cents().nullable(),
    operatingBankAccountId: p.uuid().nullable(),
    depositBankAccountId: p.uuid().nullable(),
    managementStartDate: plainDate().nullable(),
    managementEndDate: plainDate().nullable(),
    depositDeadlineDays: p.integer().nullable(),
    /** Keys by which imports find the record. */
    matchName: p
      .text()
      .nullable()
      .generated(`${normalizedSql("name")} stored`),
    matchAddress: p
      .text()
      .nullable()
      .generated(`(${normalizedSql("street_line1")} || '/' || left(postal_code, 5)) stored`),
    deletedAt: p.datetime(3).nullable(),
  },
});
/**
 * Building or group of units at one address. `units` and `occupiedUnits` are declared by the office: responses contain the number
 * of unit rows if it is higher than `units`, and the number of occupied unit rows instead of `occupiedUnits` if there are unit rows.
 */
export class Property extends PropertySchema.class {}
PropertySchema.setClass(Property);

const PropertyOwnerSchema = defineEntity({
  name: "PropertyOwner",
  tableName: "property_owner",
  ...inPortalReach,
  indexes: [{ name: "property_owner_by_owner", properties: ["organizationId", "ownerId"] }],
  properties: { organizationId: p.uuid().primary(), propertyId: p.uuid().primary(), ownerId: p.uuid().primary(), position: p.integer() },
});
/** Owner of a property, in the order given by the office. */
export class PropertyOwner extends PropertyOwnerSchema.class {}
PropertyOwnerSchema.setClass(PropertyOwner);
