/** Writers of properties and units. */
import { omitUndefined } from "@freehold/kit/omit-undefined";
import type { FieldValues } from "../../validation/draft.ts";
import { addressFields, changedValues, toAddress, toCents, toNumber, type Writer } from "../writable-row.ts";

const propertyFields = (data: FieldValues): Record<string, unknown> =>
  omitUndefined({ name: data["name"], ...toAddress(data), assetClass: data["asset_class"], units: toNumber(data["units"]) });
const agreementTerms = (data: FieldValues) => omitUndefined({ reserveCents: toCents(data["reserve"]), managementStartDate: data["management_start_date"] });

export const propertyWriter: Writer = {
  /** Creates a property with the terms of its management agreement. */
  create: async ({ key, data }, execute) => {
    const body = { units: 1, occupiedUnits: 0, ...propertyFields(data), ...agreementTerms(data) };
    return (await execute<{ recordId: string }>("portfolio", "importProperty", key, { body })).recordId;
  },
  update: async (row, propertyId, execute) => {
    const changed = changedValues(row, addressFields);
    await execute("portfolio", "updateProperty", row.id, { params: { id: propertyId }, body: { ...propertyFields(changed), ...agreementTerms(changed) } });
  },
};

/** Adds the market rent as the monthly rent to values of a row that has no monthly rent. */
const withDefaultRent = (values: FieldValues): FieldValues =>
  values["monthly_rent"] === undefined && values["market_rent"] !== undefined ? { ...values, monthly_rent: values["market_rent"] } : values;

const unitFields = (data: FieldValues): Record<string, unknown> =>
  omitUndefined({
    unitNumber: data["unit_number"],
    unitType: data["unit_type"],
    bedrooms: toNumber(data["bedrooms"]),
    bathrooms: toNumber(data["bathrooms"]),
    squareFeet: toNumber(data["square_feet"]),
    marketRentCents: toCents(data["market_rent"]),
    monthlyRentCents: toCents(data["monthly_rent"]),
    status: data["status"],
  });

export const unitWriter: Writer = {
  /** Creates a unit, which is let for its market rent unless its row has another rent. */
  create: async ({ key, data, linkedIds }, execute) => {
    const body = { propertyId: linkedIds["property"], status: "vacant", ...unitFields(withDefaultRent(data)) };
    return (await execute<{ recordId: string }>("portfolio", "importUnit", key, { body })).recordId;
  },
  update: async (row, unitId, execute) => {
    await execute("portfolio", "updateUnit", row.id, { params: { id: unitId }, body: unitFields(changedValues(row)) });
  },
};
