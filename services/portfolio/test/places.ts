/** Things to test with, each with a meaning and as little else as may be. */
import { randomUUID } from "node:crypto";
import { today } from "@freehold/kit/clock";
import { addDays } from "@freehold/kit/dates";
import type { Client, Request } from "../../../test/client.ts";

type Body<Id extends Parameters<Client["call"]>[0]> = NonNullable<Request<Id>["body"]>;

/** The organizations of the tests are in New York. */
export const now = (): string => today("America/New_York");
export const inDays = (days: number): string => addDays(now(), days);
export const unknownId = (): string => randomUUID();

export const address = { streetLine1: "12 Elm Street", city: "Springfield", state: "IL", postalCode: "62701" };

export const aProperty = async (office: Client, terms: Partial<Body<"createProperty">> = {}) =>
  (await office.call("createProperty", { body: { name: "Elm Court", ...address, units: 10, occupiedUnits: 0, ...terms } })).property;

export const aUnit = async (office: Client, propertyId: string, terms: Partial<Body<"createUnit">> = {}) =>
  (await office.call("createUnit", { body: { propertyId, monthlyRentCents: 150_000, ...terms } })).unit;

export const anOwner = async (office: Client, terms: Partial<Body<"createOwner">> = {}) =>
  (await office.call("createOwner", { body: { fullName: "Olive Owner", email: "olive@example.com", ...terms } })).owner;

export const aVendor = async (office: Client, terms: Partial<Body<"createVendor">> = {}) =>
  (await office.call("createVendor", { body: { name: "Pipes & Co", ...terms } })).vendor;

export const aTenant = async (office: Client, terms: Partial<Body<"createTenant">> = {}) =>
  (await office.call("createTenant", { body: { fullName: `Tina ${randomUUID()}`, ...terms } })).tenant;

export interface Place {
  propertyId: string;
  unitId: string;
  tenantId: string;
}

/** A unit to let and somebody to let it to. */
export async function aPlace(office: Client): Promise<Place> {
  const property = await aProperty(office);
  const [unit, tenant] = await Promise.all([aUnit(office, property.id), aTenant(office)]);
  return { propertyId: property.id, unitId: unit.id, tenantId: tenant.id };
}

/** The terms of a year that began a month ago. */
export const aYear = (place: Place): Body<"createLease"> => ({
  ...place,
  startDate: inDays(-30),
  endDate: inDays(334),
  termType: "fixed",
  rentCents: 150_000,
});

export const aDraft = async (office: Client, place: Place, terms: Partial<Body<"createLease">> = {}) =>
  (await office.call("createLease", { body: { ...aYear(place), ...terms } })).lease;

/** A lease in force since a month ago. */
export const aLease = (office: Client, place: Place, terms: Partial<Body<"createLease">> = {}) => aDraft(office, place, { activate: true, ...terms });
