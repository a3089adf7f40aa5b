/** Lowest balances of the beneficiaries of a trust account. */
import type { Beneficiary } from "./sub-ledgers.queries.ts";

/** Movement of the money of a beneficiary on a day. */
export type Flow = Beneficiary & { day: string; cents: number };

/** Returns the beneficiary of the money at a property that belongs to no tenant: its owners, or without a property the manager. */
export const beneficiaryAt = (propertyId: string | null): Beneficiary => ({ kind: propertyId ? "owner" : "manager", propertyId, tenantId: null });

const keyOf = ({ kind, propertyId, tenantId }: Beneficiary): string => `${kind} ${propertyId} ${tenantId}`;
const isTenants = ({ kind }: Beneficiary): boolean => kind === "deposit" || kind === "prepaid";

/**
 * Returns the lowest balance of each beneficiary at the end of any day of the flows, which are in the order of their days. What tenants
 * of a property lack counts against its owners: their money was taken for it.
 */
export function lowestBalances(flows: readonly Flow[], beneficiaries: readonly Beneficiary[]): (Beneficiary & { balanceCents: number })[] {
  const balances = new Map<string, { beneficiary: Beneficiary; cents: number }>();
  const lowest = new Map<string, number>();
  for (const [, group] of Map.groupBy(flows, ({ day }) => day)) {
    for (const flow of group) {
      const held = balances.get(keyOf(flow))?.cents ?? 0;
      balances.set(keyOf(flow), { beneficiary: flow, cents: held + flow.cents });
    }
    for (const beneficiary of beneficiaries) {
      const cents = balanceOf(beneficiary, balances);
      lowest.set(keyOf(beneficiary), Math.min(lowest.get(keyOf(beneficiary)) ?? cents, cents));
    }
  }
  return beneficiaries.map((beneficiary) => ({ ...beneficiary, balanceCents: lowest.get(keyOf(beneficiary)) ?? 0 }));
}

function balanceOf(beneficiary: Beneficiary, balances: ReadonlyMap<string, { beneficiary: Beneficiary; cents: number }>): number {
  const own = balances.get(keyOf(beneficiary))?.cents ?? 0;
  if (isTenants(beneficiary)) return own;
  const lacking = [...balances.values()].filter(
    (each) => isTenants(each.beneficiary) && each.beneficiary.propertyId === beneficiary.propertyId && each.cents < 0,
  );
  return lacking.reduce((sum, { cents }) => sum + cents, own);
}
