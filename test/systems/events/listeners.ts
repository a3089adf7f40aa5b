/** Organizations of the event tests, with the units that change and the users that listen to the stream. */
import type { Role } from "@freehold/contract/roles";
import { anOffice, type Colleague, type Office } from "../../support/office.ts";
import { aTenancy, type Tenancy } from "../../support/tenancy.ts";

export interface Listener {
  user: Colleague;
  role: Role;
  /** Subject id of a portal user; null for staff. */
  subjectId: string | null;
  types?: string[];
}

export interface Organization {
  office: Office;
  /** Units with their property; the rent of a unit counts its changes. */
  units: { id: string; propertyId: string }[];
  tenancies: Tenancy[];
  listeners: Listener[];
}

/** Runs work for each item with limited concurrency. Returns the results in order. */
export async function mapConcurrently<T, R>(all: readonly T[], concurrency: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const remaining = [...all.entries()];
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      for (let next = remaining.shift(); next; next = remaining.shift()) results[next[0]] = await work(next[1]);
    }),
  );
  return results;
}

const UNITS_PER_PROPERTY = 50;

async function unitsOf(office: Office, count: number): Promise<Organization["units"]> {
  const properties = await mapConcurrently([...Array(Math.ceil(count / UNITS_PER_PROPERTY)).keys()], 4, async (index) => {
    const terms = { streetLine1: `${index + 1} Elm Street`, city: "Albany", state: "NY", postalCode: "12207", units: UNITS_PER_PROPERTY, occupiedUnits: 0 };
    return (await office.call("createProperty", { body: { name: `House ${index}`, ...terms } })).property.id;
  });
  return mapConcurrently([...Array(count).keys()], 8, async (index) => {
    const propertyId = properties[Math.floor(index / UNITS_PER_PROPERTY)]!;
    const { unit } = await office.call("createUnit", { body: { propertyId, unitNumber: String(index), monthlyRentCents: 1 } });
    return { id: unit.id, propertyId };
  });
}

export interface OrganizationSize {
  units: number;
  tenancies: number;
  /** Number of office clients that receive all event types. */
  colleagues: number;
  /** Number of office clients that request three event types. */
  filtered: number;
  /** Number of portal clients of each tenant. */
  perTenant: number;
}

/** Creates an organization with listeners; several listeners share a user. */
export async function anOrganization(baseUrl: string, size: OrganizationSize): Promise<Organization> {
  const office = await anOffice(baseUrl);
  const [units, tenancies] = await Promise.all([unitsOf(office, size.units), mapConcurrently([...Array(size.tenancies).keys()], 4, () => aTenancy(office))]);
  const manager = await office.colleague("manager");
  const officeListeners = (count: number, types?: string[]): Listener[] =>
    Array.from({ length: count }, (_, index) => ({
      ...(index % 2 === 0 ? { user: manager, role: "manager" as const } : { user: office, role: "admin" as const }),
      subjectId: null,
      ...(types && { types }),
    }));
  const portal = await mapConcurrently(tenancies, 4, async ({ tenantId, leaseId }) => {
    const user = await office.tenantUser(tenantId, leaseId);
    return Array.from({ length: size.perTenant }, (): Listener => ({ user, role: "tenant", subjectId: tenantId }));
  });
  const filtered = officeListeners(size.filtered, ["charge.posted", "payment.received", "notification.created"]);
  return { office, units, tenancies, listeners: [...officeListeners(size.colleagues), ...filtered, ...portal.flat()] };
}
