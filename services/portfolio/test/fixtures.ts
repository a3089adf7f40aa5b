/** Factories of records for tests, with few members besides those that the API requires. */
import { randomUUID } from "node:crypto";
import type { Lease, leaseStatuses } from "@freehold/contract/leases/leases";
import { today } from "@freehold/kit/time/clock";
import { addDays } from "@freehold/kit/time/plain-date";
import type { Client, Request } from "../../../test/support/client.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { anOffice } from "../../../test/support/office.ts";

type Body<OperationId extends Parameters<Client["call"]>[0]> = NonNullable<Request<OperationId>["body"]>;

/** Returns today's date in the time zone of the test organizations. */
export const currentDate = (): string => today("America/New_York");
/** Returns the date a number of days after today, or before today for a negative number. */
export const inDays = (days: number): string => addDays(currentDate(), days);
/**
 * Signs up an organization whose day differs from that of UTC: a later one if `isAhead`, otherwise an earlier one. `day` returns its day so many
 * days from today.
 */
export async function anOfficeOnAnotherDay() {
  // One of the two zones has another day than UTC at any time: the first is ahead of it, the second behind.
  const isAhead = new Date().getUTCHours() >= 10;
  const timezone = isAhead ? "Pacific/Kiritimati" : "Pacific/Pago_Pago";
  const office = await anOffice();
  await office.call("updateOrganization", { body: { timezone } });
  return { office, isAhead, day: (offset: number) => addDays(today(timezone), offset) };
}

/** Returns an id that no record has. */
export const unknownId = (): string => randomUUID();

export const address = { streetLine1: "12 Elm Street", city: "Springfield", state: "IL", postalCode: "62701" };

export const aProperty = async (office: Client, overrides: Partial<Body<"createProperty">> = {}) =>
  (await office.call("createProperty", { body: { name: "Elm Court", ...address, units: 10, occupiedUnits: 0, ...overrides } })).property;

export const aUnit = async (office: Client, propertyId: string, overrides: Partial<Body<"createUnit">> = {}) =>
  (await office.call("createUnit", { body: { propertyId, monthlyRentCents: 150_000, ...overrides } })).unit;

export const anOwner = async (office: Client, overrides: Partial<Body<"createOwner">> = {}) =>
  (await office.call("createOwner", { body: { fullName: "Olive Owner", email: "olive@example.com", ...overrides } })).owner;

export const aVendor = async (office: Client, overrides: Partial<Body<"createVendor">> = {}) =>
  (await office.call("createVendor", { body: { name: "Pipes & Co", ...overrides } })).vendor;

export const aTenant = async (office: Client, overrides: Partial<Body<"createTenant">> = {}) =>
  (await office.call("createTenant", { body: { fullName: `Tina ${randomUUID()}`, ...overrides } })).tenant;

/** Property, unit and tenant of a lease to create. */
export interface LeaseReferences {
  propertyId: string;
  unitId: string;
  tenantId: string;
}

/** Creates a property with a unit, and a tenant. */
export async function createLeaseReferences(office: Client): Promise<LeaseReferences> {
  const property = await aProperty(office);
  const [unit, tenant] = await Promise.all([aUnit(office, property.id), aTenant(office)]);
  return { propertyId: property.id, unitId: unit.id, tenantId: tenant.id };
}

/** Returns the terms of a lease of 365 days that started 30 days ago. */
export const oneYearTerms = (references: LeaseReferences): Body<"createLease"> => {
  const startDate = inDays(-30);
  return { ...references, startDate, endDate: addDays(startDate, 364), termType: "fixed", rentCents: 150_000 };
};

const createLease = async (office: Client, references: LeaseReferences, terms: Partial<Body<"createLease">>) =>
  (await office.call("createLease", { body: { ...oneYearTerms(references), ...terms } })).lease;

export const aDraftLease = (office: Client, references: LeaseReferences, terms: Partial<Omit<Body<"createLease">, "activate">> = {}) =>
  createLease(office, references, terms);

/** Creates an activated lease. By default it started 30 days ago; a start date after today makes it pending. */
export const aLease = (office: Client, references: LeaseReferences, terms: Partial<Body<"createLease">> = {}) =>
  createLease(office, references, { activate: true, ...terms });

/** Creates a work order, on a new property unless `overrides` has a `propertyId`. */
export const aWorkOrder = async (office: Client, overrides: Partial<Body<"createWorkOrder">> = {}) =>
  (await office.call("createWorkOrder", { body: { title: "The tap drips", propertyId: overrides.propertyId ?? (await aProperty(office)).id, ...overrides } }))
    .workOrder;

/** Creates an inspection of a kitchen, or of the areas of a given template, on a new property unless `overrides` has a `propertyId`. */
export const anInspection = async (office: Client, overrides: Partial<Body<"createInspection">> = {}) => {
  const propertyId = overrides.propertyId ?? (await aProperty(office)).id;
  const room = { name: "Kitchen", items: [{ name: "Oven" }, { name: "Sink" }] };
  const defaults = { type: "routine" as const, scheduledAt: "2026-12-01T15:00:00.000Z", ...(overrides.templateId === undefined && { areas: [room] }) };
  return (await office.call("createInspection", { body: { ...defaults, ...overrides, propertyId } })).inspection;
};

/** Returns the dates of the 365 days after those of `oneYearTerms`. */
export const followingYearTerms = () => {
  const startDate = inDays(335);
  return { startDate, endDate: addDays(startDate, 364) };
};

/** Creates a lease with a co-tenant and without recurring rent, and brings it to the status through the API and, for `expired`, the expiry job. */
export async function aLeaseInStatus(office: Client, status: (typeof leaseStatuses)[number]): Promise<Lease> {
  const [references, coTenant] = await Promise.all([createLeaseReferences(office), aTenant(office)]);
  const terms = { createRecurringRent: false, occupants: [{ tenantId: coTenant.id, role: "co_tenant" as const }] };
  const create = (moreTerms: object = {}) => aLease(office, references, { ...terms, ...moreTerms });
  const read = async (id: string) => (await office.call("getLease", { params: { id } })).lease;
  switch (status) {
    case "draft":
      return aDraftLease(office, references, terms);
    case "pending":
      return create({ startDate: inDays(1) });
    case "active":
      return create();
    case "expired": {
      const { id } = await create({ endDate: inDays(-1) });
      return eventually("expired lease", async () => {
        const lease = await read(id);
        return lease.status === "expired" ? lease : undefined;
      });
    }
    case "terminated": {
      const { id } = await create();
      return (await office.call("terminateLease", { params: { id }, body: { terminationDate: currentDate(), finalRent: "none" } })).lease;
    }
    case "renewed": {
      const { id } = await create({ termType: "month_to_month", endDate: undefined });
      const { lease: renewal } = await office.call("renewLease", { params: { id }, body: { startDate: currentDate(), endDate: inDays(364) } });
      await office.call("activateLease", { params: { id: renewal.id }, body: {} });
      return read(id);
    }
    case "cancelled": {
      const { id } = await aDraftLease(office, references, terms);
      return (await office.call("cancelLease", { params: { id } })).lease;
    }
  }
}
