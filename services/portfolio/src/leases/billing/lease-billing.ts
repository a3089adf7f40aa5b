/**
 * What a lease means in money is the ledger's. It is asked before a lease changes, so that nothing is written while it
 * is down, and told after the commit; telling it twice changes nothing.
 */
import type { Charge } from "@freehold/contract/charges";
import type { Lease } from "@freehold/contract/leases";
import type { RecurringChargeRule } from "@freehold/contract/recurring-charges";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { ApiError } from "@freehold/kit/errors";
import { batchLoader } from "@freehold/kit/rpc/loader";
import type { LeaseBilling, LeaseBalance } from "@freehold/proto/ledger/v1/ledger";
import type { Lease as LeaseForLedger } from "@freehold/proto/portfolio/v1/portfolio";
import { ifItAnswers } from "../../asking.ts";
import type { Clients } from "../../clients.ts";
import { figuresView } from "../lease.view.ts";
import { leasesForLedger } from "./lease-billing.queries.ts";

export const noMoney = (leaseId: string): LeaseBalance => ({
  leaseId,
  balanceCents: 0,
  overdueRentCents: 0,
  depositHeldCents: 0,
  hasEntries: false,
  hasUnreversedEntries: false,
});

/** The figures of leases, in one question; 503 while the ledger does not answer. */
export async function askMoney(db: OrgDb, ask: Clients, leaseIds: string[]): Promise<Map<string, LeaseBalance>> {
  const leases = await ask.leaseBalances(db, leaseIds);
  const known = new Map(leases.map((money) => [money.leaseId, money]));
  return new Map(leaseIds.map((id) => [id, known.get(id) ?? noMoney(id)]));
}

/** The figures of leases if the ledger answers. */
export const moneyOf = async (db: OrgDb, ask: Clients, leaseIds: string[]): Promise<Map<string, LeaseBalance>> =>
  (leaseIds.length > 0 && (await ifItAnswers(askMoney(db, ask, leaseIds)))) || new Map<string, LeaseBalance>();

const parsed = <T>(json: string[]): T[] => json.map((one) => JSON.parse(one) as T);
export interface Billing {
  recurringChargeRules: RecurringChargeRule[];
  charges: Charge[];
}
const billing = ({ recurringChargeRules, charges }: LeaseBilling): Billing => ({
  recurringChargeRules: parsed(recurringChargeRules),
  charges: parsed(charges),
});

/** A lease's recurring charges; 503 while the ledger does not answer. */
export const requireRulesOf = async (db: OrgDb, ask: Clients, leaseId: string): Promise<RecurringChargeRule[]> =>
  billing(await ask.ledger.listLeaseRules(db, { leaseIds: [leaseId] })).recurringChargeRules;

/** A lease's recurring charges; none while the ledger does not answer. */
export const rulesOf = async (db: OrgDb, ask: Clients, leaseId: string): Promise<RecurringChargeRule[]> =>
  (await ifItAnswers(requireRulesOf(db, ask, leaseId))) ?? [];

const leaseForLedger = batchLoader(async (db, ids: readonly string[]) => {
  const leases = new Map((await leasesForLedger(db, ids)).map((lease) => [lease.id, lease]));
  return ids.map((id) => leases.get(id)!);
});

/** Tells the ledger about a lease that was just committed, and fills the lease's figures in; `otherwise` says what is true when it cannot be told. */
export async function tellLedger(
  db: OrgDb,
  ask: Clients,
  lease: Lease,
  otherwise: string,
  tell: (lease: LeaseForLedger) => Promise<LeaseBilling>,
): Promise<Billing> {
  const told = await orElse(otherwise, async () => billing(await tell(await leaseForLedger(db, lease.id))));
  const money = await moneyOf(db, ask, [lease.id]);
  Object.assign(lease, figuresView(money.get(lease.id)));
  return told;
}

/** Has the ledger's rules follow the rents of a lease, just committed; `otherwise` says what is true when it cannot be told. */
export const followRentsInLedger = (db: OrgDb, ask: Clients, leaseId: string, otherwise: string): Promise<RecurringChargeRule[]> =>
  orElse(otherwise, async () => {
    const [lease] = await leasesForLedger(db, [leaseId]);
    return lease ? billing(await ask.ledger.reviseLeaseBilling(db, { lease })).recurringChargeRules : [];
  });

async function orElse<T>(otherwise: string, tell: () => Promise<T>): Promise<T> {
  try {
    return await tell();
  } catch (cause) {
    throw new ApiError(503, otherwise, { code: "service_unavailable", headers: { "Retry-After": "1" }, cause });
  }
}

/** Has the ledger hear at once of a changed lease, if it answers: it will hear as an event in any case. */
export async function reviseBilling(db: OrgDb, ask: Clients, leaseId: string): Promise<void> {
  const [lease] = await leasesForLedger(db, [leaseId]);
  if (lease) await ifItAnswers(ask.ledger.reviseLeaseBilling(db, { lease }));
}

/** Has the ledger end at once what it charges on a lease that was given up, if it answers, and fills the lease's figures in. */
export async function endBilling(db: OrgDb, ask: Clients, lease: Lease, isDeleted: boolean): Promise<void> {
  await ifItAnswers(ask.ledger.cancelLeaseBilling(db, { leaseId: lease.id, isDeleted }));
  Object.assign(lease, figuresView((await moneyOf(db, ask, [lease.id])).get(lease.id)));
}
