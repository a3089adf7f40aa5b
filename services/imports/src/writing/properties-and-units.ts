/** Properties and units. */
import type { Data } from "../validation/draft.ts";
import { addressOf, cents, said, whole, type Create, type Update } from "./writable-row.ts";

const propertyTerms = (data: Data) => said({ name: data["name"], ...addressOf(data), assetClass: data["asset_class"], units: whole(data["units"]) });
const agreementOf = (data: Data) => said({ reserveCents: cents(data["reserve"]), managementStartDate: data["management_start_date"] });

/** A property and what was agreed about it: two operations, since a property is agreed on when it is there. */
export const createProperty: Create = async ({ id, data }, perform) => {
  const body = { units: 1, occupiedUnits: 0, ...propertyTerms(data) };
  const { property } = await perform<{ property: { id: string } }>("portfolio", "createProperty", id, { body });
  const agreement = agreementOf(data);
  if (Object.keys(agreement).length > 0) await perform("portfolio", "updateProperty", `${id} agreement`, { params: { id: property.id }, body: agreement });
  return property.id;
};
export const updateProperty: Update = async ({ id, data }, propertyId, perform) => {
  await perform("portfolio", "updateProperty", id, { params: { id: propertyId }, body: { ...propertyTerms(data), ...agreementOf(data) } });
};

const unitTerms = (data: Data) =>
  said({
    unitNumber: data["unit_number"],
    unitType: data["unit_type"],
    bedrooms: whole(data["bedrooms"]),
    bathrooms: whole(data["bathrooms"]),
    squareFeet: whole(data["square_feet"]),
    marketRentCents: cents(data["market_rent"]),
    monthlyRentCents: cents(data["monthly_rent"] ?? data["market_rent"]),
    status: data["status"],
  });

export const createUnit: Create = async ({ id, data, linked }, perform) => {
  const body = { propertyId: linked["property"], status: "vacant", ...unitTerms(data) };
  const { unit } = await perform<{ unit: { id: string } }>("portfolio", "createUnit", id, { body });
  return unit.id;
};
export const updateUnit: Update = async ({ id, data }, unitId, perform) => {
  await perform("portfolio", "updateUnit", id, { params: { id: unitId }, body: unitTerms(data) });
};
