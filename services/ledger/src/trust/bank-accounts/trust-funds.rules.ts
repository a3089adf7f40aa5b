/** Lowest balances of those whose money is in a trust account. */
import { maxDate } from "@freehold/kit/time/plain-date";
import type { Beneficiary } from "./sub-ledgers.queries.ts";

/** Beneficiary, or the opening balance that no entry has assigned to a property yet: it belongs to owners and tenants, and names none of them. */
export type Holder = Omit<Beneficiary, "kind"> & { kind: Beneficiary["kind"] | "unassigned" };

/** Movement of the money of a holder on a day. */
export type Flow = Holder & { day: string; cents: number };

/** Returns the beneficiary of the money at a property that belongs to no tenant: its owners, or without a property the manager. */
export const beneficiaryAt = (propertyId: string | null): Beneficiary => ({ kind: propertyId ? "owner" : "manager", propertyId, tenantId: null });

/** Opening balance of a trust account that is not assigned. */
export const unassignedOpening: Holder = { kind: "unassigned", propertyId: null, tenantId: null };

/** Amounts of a day by which an account was opened, and by which its opening balance was assigned to properties (negative) or that was taken back. */
export interface OpeningMovement {
  day: string;
  openedCents: number;
  unassignedCents: number;
}

/**
 * Returns the movements of the opening balance between the manager, who holds the money without a property, and what is unassigned of it.
 * No more is unassigned than the account was opened with. Earlier days count as the given one.
 */
export function openingFlows(movements: readonly OpeningMovement[], date: string): Flow[] {
  let [openedCents, unassignedCents] = [0, 0];
  return movements.flatMap((movement) => {
    openedCents += movement.openedCents;
    const cents = Math.max(0, Math.min(openedCents, unassignedCents + movement.openedCents + movement.unassignedCents)) - unassignedCents;
    unassignedCents += cents;
    const day = maxDate(movement.day, date);
    return [
      { ...unassignedOpening, day, cents },
      { ...beneficiaryAt(null), day, cents: 0 - cents },
    ];
  });
}

const keyOf = ({ kind, propertyId, tenantId }: Holder): string => `${kind} ${propertyId} ${tenantId}`;
/** Returns true for money of a tenant. */
export const isTenantMoney = ({ kind }: Holder): boolean => kind === "deposit" || kind === "prepaid";

/** Balances of holders, and what the tenants of each property lack: the sum of their negative balances. */
interface Balances {
  own: Map<string, number>;
  lacking: Map<string | null, number>;
}

/**
 * Returns the lowest balance of each holder at the end of any day of the flows, which are in the order of their days. What tenants of a
 * property lack counts against its owners, and what the manager lacks against the unassigned opening balance: their money was taken for it.
 */
export function lowestBalances<H extends Holder>(flows: readonly Flow[], holders: readonly H[]): (H & { balanceCents: number })[] {
  const balances: Balances = { own: new Map(), lacking: new Map() };
  const lowest = new Map<string, number>();
  for (const [, group] of Map.groupBy(flows, ({ day }) => day)) {
    for (const flow of group) addFlow(balances, flow);
    for (const holder of holders) {
      const cents = balanceOf(holder, balances);
      lowest.set(keyOf(holder), Math.min(lowest.get(keyOf(holder)) ?? cents, cents));
    }
  }
  return holders.map((holder) => ({ ...holder, balanceCents: lowest.get(keyOf(holder)) ?? 0 }));
}

/** Amount that an account lacks, and the properties whose money is missing. */
export interface Shortage {
  cents: number;
  propertyIds: string[];
}

/**
 * Returns the largest amount that an account lacks at the end of any day of the flows, which are in the order of their days: what tenants
 * lack beyond the money of the owners of their property and of the management company, or what the account as a whole lacks. By that amount,
 * money of other tenants was used.
 */
export function largestShortage(flows: readonly Flow[]): Shortage {
  const balances = new Map<string, Flow>();
  let largest: Shortage = { cents: 0, propertyIds: [] };
  for (const [, group] of Map.groupBy(flows, ({ day }) => day)) {
    for (const flow of group) balances.set(keyOf(flow), { ...flow, cents: (balances.get(keyOf(flow))?.cents ?? 0) + flow.cents });
    const shortage = shortageOf([...balances.values()]);
    if (shortage.cents > largest.cents) largest = shortage;
  }
  return largest;
}

const sumOf = (parts: readonly { cents: number }[]): number => parts.reduce((sum, { cents }) => sum + cents, 0);

function shortageOf(balances: readonly Flow[]): Shortage {
  const ofProperties = [...Map.groupBy(balances, ({ propertyId }) => propertyId)];
  const uncovered = ofProperties.map(([id, flows]) => {
    const lackingCents = -sumOf(flows.filter((each) => isTenantMoney(each) && each.cents < 0));
    return { id, cents: Math.max(0, lackingCents - Math.max(0, sumOf(flows.filter(({ kind }) => kind === "owner")))) };
  });
  const managerCents = sumOf(balances.filter(({ kind }) => kind === "manager"));
  const uncoveredCents = sumOf(uncovered) - Math.max(0, managerCents);
  const lackingCents = -sumOf(balances);
  const short =
    uncoveredCents >= lackingCents
      ? uncovered.filter(({ cents }) => cents > 0).map(({ id }) => id)
      : ofProperties.filter(([, flows]) => sumOf(flows) < 0).map(([id]) => id);
  return { cents: Math.max(uncoveredCents, lackingCents), propertyIds: short.filter((id) => id !== null) };
}

function addFlow({ own, lacking }: Balances, flow: Flow): void {
  const before = own.get(keyOf(flow)) ?? 0;
  const after = before + flow.cents;
  own.set(keyOf(flow), after);
  if (isTenantMoney(flow)) lacking.set(flow.propertyId, (lacking.get(flow.propertyId) ?? 0) + Math.min(0, after) - Math.min(0, before));
}

function balanceOf(holder: Holder, balances: Balances): number {
  const own = balances.own.get(keyOf(holder)) ?? 0;
  if (isTenantMoney(holder)) return own;
  if (holder.kind === "unassigned") return own + balanceOf(beneficiaryAt(null), balances);
  return own + (balances.lacking.get(holder.propertyId) ?? 0);
}
