/** Who there is: two organizations with units that change, and everybody who listens. */
import type { Role } from "@freehold/contract/roles";
import { anOffice, type Colleague, type Office } from "../../support/office.ts";
import { aTenancy, type Tenancy } from "../../support/tenancy.ts";

export interface Listener {
  user: Colleague;
  role: Role;
  /** Whom a portal user stands for. */
  subjectId: string | null;
  types?: string[];
}

export interface Organization {
  office: Office;
  /** Units by their property; the rent of each counts its changes. */
  units: { id: string; propertyId: string }[];
  tenancies: Tenancy[];
  listeners: Listener[];
}

/** Runs work for each, so many at a time. */
export async function each<T, R>(all: readonly T[], atOnce: number, work: (one: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const left = [...all.entries()];
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let next = left.shift(); next; next = left.shift()) results[next[0]] = await work(next[1]);
    }),
  );
  return results;
}

const UNITS_A_PROPERTY = 50;

async function unitsOf(office: Office, count: number): Promise<Organization["units"]> {
  const properties = await each([...Array(Math.ceil(count / UNITS_A_PROPERTY)).keys()], 4, async (index) => {
    const terms = { streetLine1: `${index + 1} Elm Street`, city: "Albany", state: "NY", postalCode: "12207", units: UNITS_A_PROPERTY, occupiedUnits: 0 };
    return (await office.call("createProperty", { body: { name: `House ${index}`, ...terms } })).property.id;
  });
  return each([...Array(count).keys()], 8, async (index) => {
    const propertyId = properties[Math.floor(index / UNITS_A_PROPERTY)]!;
    const { unit } = await office.call("createUnit", { body: { propertyId, unitNumber: String(index), monthlyRentCents: 1 } });
    return { id: unit.id, propertyId };
  });
}

export interface OrganizationSize {
  units: number;
  tenancies: number;
  /** Clients that hear everything the office may, and clients that asked for some types only. */
  colleagues: number;
  choosy: number;
  /** Portal clients of each tenant. */
  ofTenant: number;
}

/** An organization whose people listen; several clients share a user. */
export async function anOrganization(baseUrl: string, wanted: OrganizationSize): Promise<Organization> {
  const office = await anOffice(baseUrl);
  const [units, tenancies] = await Promise.all([unitsOf(office, wanted.units), each([...Array(wanted.tenancies).keys()], 4, () => aTenancy(office))]);
  const manager = await office.colleague("manager");
  const ofOffice = (count: number, types?: string[]): Listener[] =>
    Array.from({ length: count }, (_, index) => ({
      ...(index % 2 === 0 ? { user: manager, role: "manager" as const } : { user: office, role: "admin" as const }),
      subjectId: null,
      ...(types && { types }),
    }));
  const portal = await each(tenancies, 4, async ({ tenantId, leaseId }) => {
    const user = await office.tenantUser(tenantId, leaseId);
    return Array.from({ length: wanted.ofTenant }, (): Listener => ({ user, role: "tenant", subjectId: tenantId }));
  });
  const choosy = ofOffice(wanted.choosy, ["charge.posted", "payment.received", "notification.created"]);
  return { office, units, tenancies, listeners: [...ofOffice(wanted.colleagues), ...choosy, ...portal.flat()] };
}
