/** Things to test with, each with a meaning and as little else as may be. */
import { randomUUID } from "node:crypto";
import type { Lease, leaseStatuses } from "@freehold/contract/leases";
import { today } from "@freehold/kit/time/clock";
import { addDays } from "@freehold/kit/time/plain-date";
import type { Client, Request } from "../../../test/client.ts";
import { eventually } from "../../../test/world.ts";

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

/** Work on a property of its own, unless it is on another. */
export const aWorkOrder = async (office: Client, terms: Partial<Body<"createWorkOrder">> = {}) =>
  (await office.call("createWorkOrder", { body: { title: "The tap drips", propertyId: terms.propertyId ?? (await aProperty(office)).id, ...terms } }))
    .workOrder;

/** An inspection of one room, of a property of its own unless it is of another. */
export const anInspection = async (office: Client, terms: Partial<Body<"createInspection">> = {}) => {
  const propertyId = terms.propertyId ?? (await aProperty(office)).id;
  const room = { name: "Kitchen", items: [{ name: "Oven" }, { name: "Sink" }] };
  const said = { type: "routine" as const, scheduledAt: "2026-12-01T15:00:00.000Z", ...(terms.templateId === undefined && { areas: [room] }) };
  return (await office.call("createInspection", { body: { ...said, ...terms, propertyId } })).inspection;
};

/** The day on which a lease that comes after the one of `aYear` can start, and a year after it. */
export const afterAYear = { startDate: inDays(335), endDate: inDays(700) };

/** A lease of each status, made the way it comes to be: with a co-tenant, and charging nothing by itself. */
export async function aLeaseThatIs(office: Client, status: (typeof leaseStatuses)[number]): Promise<Lease> {
  const [place, coTenant] = await Promise.all([aPlace(office), aTenant(office)]);
  const terms = { createRecurringRent: false, occupants: [{ tenantId: coTenant.id, role: "co_tenant" as const }] };
  const make = (more: object = {}) => aLease(office, place, { ...terms, ...more });
  const read = async (id: string) => (await office.call("getLease", { params: { id } })).lease;
  switch (status) {
    case "draft":
      return aDraft(office, place, terms);
    case "pending":
      return make({ startDate: inDays(1) });
    case "active":
      return make();
    case "expired": {
      const { id } = await make({ endDate: inDays(-1) });
      return eventually("expiry", async () => {
        const lease = await read(id);
        return lease.status === "expired" ? lease : undefined;
      });
    }
    case "terminated": {
      const { id } = await make();
      return (await office.call("terminateLease", { params: { id }, body: { terminationDate: now(), finalRent: "none" } })).lease;
    }
    case "renewed": {
      const { id } = await make({ termType: "month_to_month", endDate: undefined });
      const { lease: renewal } = await office.call("renewLease", { params: { id }, body: { startDate: now(), endDate: inDays(364) } });
      await office.call("activateLease", { params: { id: renewal.id }, body: {} });
      return read(id);
    }
    case "cancelled": {
      const { id } = await aDraft(office, place, terms);
      return (await office.call("cancelLease", { params: { id } })).lease;
    }
  }
}
