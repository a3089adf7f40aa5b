/**
 * Billing of leases in the ledger. The ledger is called before a lease changes, so that nothing is written while the ledger is
 * unavailable, and again after the commit. Calls after the commit are idempotent, because events deliver the same change.
 */
import type { Charge } from "@freehold/contract/ledger/charges";
import type { Lease as LeaseView } from "@freehold/contract/leases/leases";
import type { RecurringChargeRule } from "@freehold/contract/ledger/recurring-charges";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { today } from "@freehold/kit/time/clock";
import { ApiError } from "@freehold/kit/errors";
import { batchLoader } from "@freehold/kit/rpc/loader";
import type { LeaseBalance, LeaseBilling } from "@freehold/proto/ledger/v1/ledger";
import type { Lease as LeaseMessage } from "@freehold/proto/portfolio/v1/portfolio";
import type { Clients } from "../clients.ts";
import { isFollowed, isTenantRole, isUnreleasedTenant } from "./residence.queries.ts";
import { orUndefinedIfUnavailable } from "@freehold/kit/rpc/optional-calls";
import { leaseBalanceView } from "./lease.view.ts";

/** Returns the balance of a lease that has no entries in the ledger. */
export const emptyLeaseBalance = (leaseId: string): LeaseBalance => ({
  leaseId,
  balanceCents: 0,
  overdueRentCents: 0,
  depositHeldCents: 0,
  hasEntries: false,
  hasUnreversedEntries: false,
  hasEntriesToUndo: false,
});

/** Fetches the balances of leases from the ledger, by lease id, in one call. Throws 503 while the ledger is unavailable. */
export async function fetchLeaseBalances(db: OrgDb, clients: Clients, leaseIds: string[]): Promise<Map<string, LeaseBalance>> {
  const balances = await clients.loadLeaseBalances(db, leaseIds);
  const balancesById = new Map(balances.map((balance) => [balance.leaseId, balance]));
  return new Map(leaseIds.map((id) => [id, balancesById.get(id) ?? emptyLeaseBalance(id)]));
}

/** Fetches the balances of leases, by lease id. The map is empty while the ledger is unavailable or slow. */
export const findLeaseBalances = async (db: OrgDb, clients: Clients, leaseIds: string[]): Promise<Map<string, LeaseBalance>> =>
  (leaseIds.length > 0 && (await clients.callOptionally(db, "ledger", () => fetchLeaseBalances(db, clients, leaseIds)))) || new Map<string, LeaseBalance>();

/** Recurring charge rules and charges of a lease. */
export interface Billing {
  recurringChargeRules: RecurringChargeRule[];
  charges: Charge[];
}
const parseAll = <T>(jsons: string[]): T[] => jsons.map((json) => JSON.parse(json) as T);
const parseBilling = ({ recurringChargeRules, charges }: LeaseBilling): Billing => ({
  recurringChargeRules: parseAll(recurringChargeRules),
  charges: parseAll(charges),
});

/** Returns the recurring charge rules of a lease. Throws 503 while the ledger is unavailable. */
export const getLeaseChargeRules = async (db: OrgDb, clients: Clients, leaseId: string): Promise<RecurringChargeRule[]> =>
  parseBilling(await clients.ledger.listLeaseRules(db, { leaseIds: [leaseId] })).recurringChargeRules;

/**
 * Returns the recurring charge rules of a lease that has no recurring rent of its own, among which are the parts of its rent; none for any other lease.
 * Throws 503 while the ledger is unavailable.
 */
export async function getRulesInPlaceOfRent(db: OrgDb, clients: Clients, leaseId: string): Promise<RecurringChargeRule[]> {
  const lease = await db.first(
    sql`select 1 as found from lease where organization_id = ${db.organizationId} and id = ${leaseId} and not create_recurring_rent`,
  );
  return lease ? getLeaseChargeRules(db, clients, leaseId) : [];
}

/** Returns the recurring charge rules of a lease, none while the ledger is unavailable or slow. */
export const findLeaseChargeRules = async (db: OrgDb, clients: Clients, leaseId: string): Promise<RecurringChargeRule[]> =>
  (await clients.callOptionally(db, "ledger", () => getLeaseChargeRules(db, clients, leaseId))) ?? [];

/**
 * Passes a committed lease to `call`, a billing call of the ledger, returns the billing, and sets the balance members of the
 * view. Throws 503 with `failureMessage`, which states what has been committed, when the call fails.
 */
export async function syncLeaseBilling(
  db: OrgDb,
  clients: Clients,
  lease: LeaseView,
  failureMessage: string,
  call: (lease: LeaseMessage) => Promise<LeaseBilling>,
): Promise<Billing> {
  const billing = await withFailureMessage(failureMessage, async () => parseBilling(await call(await loadLeaseMessage(db, lease.id))));
  await refreshBalance(db, clients, lease);
  return billing;
}

/** Starts the billing of an imported lease. Imports that run at once share the call. Throws 503 when it fails; then the event of the leases starts the billing. */
export const startImportedBilling = (db: OrgDb, clients: Clients, leaseId: string): Promise<unknown> =>
  withFailureMessage("The lease is imported; its recurring charges will be set up as soon as the ledger is available again.", async () => {
    const lease: LeaseMessage | undefined = await loadLeaseMessage(db, leaseId);
    return lease && clients.startImportedBilling(db, lease);
  });

/** Sends the rents of a lease to the ledger after their commit and returns the recurring charge rules. Throws 503 with `failureMessage` when the call fails. */
export const syncRentCharges = (db: OrgDb, clients: Clients, leaseId: string, failureMessage: string): Promise<RecurringChargeRule[]> =>
  withFailureMessage(failureMessage, async () => {
    const [lease] = await findLeaseMessages(db, [leaseId]);
    return lease ? parseBilling(await clients.ledger.reviseLeaseBilling(db, { lease })).recurringChargeRules : [];
  });

/** Sends a changed lease to the ledger, so that a following request sees the effect. While the ledger is unavailable, the event delivers the change. */
export async function tryReviseBilling(db: OrgDb, clients: Clients, leaseId: string): Promise<void> {
  const [lease] = await findLeaseMessages(db, [leaseId]);
  if (lease) await orUndefinedIfUnavailable(clients.ledger.reviseLeaseBilling(db, { lease }));
}

/** Ends the billing of a cancelled or deleted lease. While the ledger is unavailable, the event delivers the change. */
export async function tryCancelBilling(db: OrgDb, clients: Clients, leaseId: string, { isDeleted }: { isDeleted: boolean }): Promise<void> {
  await orUndefinedIfUnavailable(clients.ledger.cancelLeaseBilling(db, { leaseId, isDeleted }));
}

/** Sets the balance members of the view of a lease. While the ledger is unavailable, these are null. */
export async function refreshBalance(db: OrgDb, clients: Clients, lease: LeaseView): Promise<void> {
  const balances = await findLeaseBalances(db, clients, [lease.id]);
  Object.assign(lease, leaseBalanceView(balances.get(lease.id)));
}

/** Gives an error of the ledger a message that says what is done and what is not: as a 503 if the ledger is unavailable, and otherwise as a 500. */
async function withFailureMessage<T>(message: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (cause) {
    if (!(cause instanceof ApiError) || cause.status !== 503) throw new ApiError(500, message, { code: "internal", cause });
    throw new ApiError(503, message, { code: "service_unavailable", headers: { "Retry-After": "1" }, cause });
  }
}

const loadLeaseMessage = batchLoader(async (db, ids: readonly string[]) => {
  const leases = new Map((await findLeaseMessages(db, ids)).map((lease) => [lease.id, lease]));
  return ids.map((id) => leases.get(id)!);
});

/** Returns the leases as gRPC messages for the ledger. Unknown and deleted leases and leases of other organizations are omitted. */
export async function findLeaseMessages(db: StatementRunner, ids: readonly string[]): Promise<LeaseMessage[]> {
  if (ids.length === 0) return [];
  type Row = { [K in keyof LeaseMessage]: LeaseMessage[K] | null };
  const rows =
    await db.all(sql<Row>`select l.id, l.version, l.property_id, l.unit_id, l.tenant_id, l.status, l.start_date, l.end_date, l.rent_cents, l.rent_charge_day,
      l.create_recurring_rent, l.prorate_first_month, l.renewed_from_lease_id, l.deposit_required_cents, l.bill_from,
      l.late_fee_type, l.late_fee_amount_cents, l.late_fee_percent_bps, l.late_fee_grace_days,
      case when l.status = 'expired' then l.end_date
        else least(l.superseded_from - 1, case when l.term_type = 'fixed' or (l.term_type = 'fixed_with_rollover' and ${isFollowed}) then l.end_date end) end as billed_until, l.termination_date, l.final_rent, l.termination_fee_cents,
      (select coalesce(json_agg(json_build_object('id', r.id, 'effectiveDate', r.effective_date, 'rentCents', r.rent_cents, 'previousRentCents', r.previous_rent_cents)
        order by r.effective_date), '[]'::json) from rent_change r
        where r.organization_id = l.organization_id and r.lease_id = l.id and r.deleted_at is null) as rent_changes,
      (select coalesce(json_agg(c.tenant_id order by c.is_primary desc, c.position), '[]'::json) from lease_occupant c
        where c.organization_id = l.organization_id and c.lease_id = l.id and c.tenant_id is not null and c.removed_at is null
          and (c.is_primary or ${isUnreleasedTenant(today(db.principal.timezone))})) as payer_ids,
      (select coalesce(json_agg(json_build_object('tenantId', c.tenant_id, 'from', coalesce(c.move_in_date, l.start_date), 'until', c.released_on) order by c.position), '[]'::json)
        from lease_occupant c where c.organization_id = l.organization_id and c.lease_id = l.id and c.tenant_id is not null and c.removed_at is null and ${isTenantRole}
          and not c.is_primary and not (${isUnreleasedTenant(today(db.principal.timezone))})) as former_payers,
      (select case when bool_and(coalesce(c.move_out_date, c.released_on) is not null) then max(coalesce(c.move_out_date, c.released_on)) end from lease_occupant c
        where c.organization_id = l.organization_id and c.lease_id = l.id and c.removed_at is null and ${isTenantRole}) as moved_out_on
    from lease l where l.organization_id = ${db.organizationId} and l.id = any(${[...ids]}::uuid[]) and l.deleted_at is null`);
  return rows.map((row) => Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as unknown as LeaseMessage);
}
