/** Writers of properties and units. */
import { omitUndefined } from "@freehold/kit/omit-undefined";
import type { FieldValues } from "../validation/draft.ts";
import { toAddress, toCents, toNumber, type Writer } from "./writable-row.ts";

const propertyFields = (data: FieldValues): Record<string, unknown> =>
  omitUndefined({ name: data["name"], ...toAddress(data), assetClass: data["asset_class"], units: toNumber(data["units"]) });
const agreementTerms = (data: FieldValues) => omitUndefined({ reserveCents: toCents(data["reserve"]), managementStartDate: data["management_start_date"] });

export const propertyWriter: Writer = {
  /** Creates a property with the terms of its management agreement. */
  create: async ({ key, data }, execute) => {
    const body = { units: 1, occupiedUnits: 0, ...propertyFields(data), ...agreementTerms(data) };
    return (await execute<{ property: { id: string } }>("portfolio", "importProperty", key, { body })).property.id;
  },
  update: async ({ id, data }, propertyId, execute) => {
    await execute("portfolio", "updateProperty", id, { params: { id: propertyId }, body: { ...propertyFields(data), ...agreementTerms(data) } });
  },
};

const unitFields = (data: FieldValues): Record<string, unknown> =>
  omitUndefined({
    unitNumber: data["unit_number"],
    unitType: data["unit_type"],
    bedrooms: toNumber(data["bedrooms"]),
    bathrooms: toNumber(data["bathrooms"]),
    squareFeet: toNumber(data["square_feet"]),
    marketRentCents: toCents(data["market_rent"]),
    monthlyRentCents: toCents(data["monthly_rent"] ?? data["market_rent"]),
    status: data["status"],
  });

export const unitWriter: Writer = {
  create: async ({ key, data, linkedIds }, execute) => {
    const body = { propertyId: linkedIds["property"], status: "vacant", ...unitFields(data) };
    const { unit } = await execute<{ unit: { id: string } }>("portfolio", "createUnit", key, { body });
    return unit.id;
  },
  update: async ({ id, data }, unitId, execute) => {
    await execute("portfolio", "updateUnit", id, { params: { id: unitId }, body: unitFields(data) });
  },
};
