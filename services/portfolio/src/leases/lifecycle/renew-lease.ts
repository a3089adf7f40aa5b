import type { leases } from "@freehold/contract/leases/leases";
import type { RecurringChargeRule } from "@freehold/contract/ledger/recurring-charges";
import type { BodyOf, Output } from "@freehold/contract/operation";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { completeAfterCommit } from "@freehold/kit/db/idempotency";
import type { Clients } from "../../clients.ts";
import { publish } from "../../publish.ts";
import { emptyLeaseBalance, fetchLeaseBalances, getRulesInPlaceOfRent, syncLeaseBilling } from "../lease-billing.ts";
import { leaseEventData } from "../lease-events.ts";
import { Lease, LeaseOccupant } from "../lease.entity.ts";
import { endDateBeforeRenewal, requireRenewable, requireStartAfterPredecessor } from "../lease.rules.ts";
import { leaseView } from "../lease.view.ts";
import { getLeaseRow } from "../leases.queries.ts";
import { copyToRenewal } from "../occupants/renewal-occupants.ts";
import { RentChange } from "../rent-changes/rent-change.entity.ts";
import { initialRent, rentOn, replacesRentParts } from "../rent-changes/rent-change.rules.ts";

type Operation = (typeof leases)["operations"]["renewLease"];
type RenewalTerms = BodyOf<Operation>;

/**
 * Drafts the renewal of an active lease for a following term, with the lease's unit, occupants, late fees and deposit. The rent
 * defaults to the lease's rent on the start date of the renewal.
 */
export async function renewLease(db: OrgDb, clients: Clients, id: string, terms: RenewalTerms): Promise<Output<Operation>> {
  // While the ledger, which prepares the billing of the renewal, is unavailable, this call throws 503 before anything is written.
  await fetchLeaseBalances(db, clients, [id]);
  const rules = terms.rentCents === undefined ? [] : await getRulesInPlaceOfRent(db, clients, id);
  const committed = transaction(db, async (tx): Promise<Output<Operation>> => {
    const lease = await tx.getForUpdate(Lease, id, "Lease", { deletedAt: null });
    requireRenewable(lease);
    requireStartAfterPredecessor(lease, terms.startDate, "startDate");
    const renewal = await insertRenewal(tx, lease, terms, rules);
    lease.renewedToLeaseId = renewal.id;
    await publish(tx, "lease.created", { entityId: renewal.id, data: { ...leaseEventData(renewal), renewedFromLeaseId: id } });
    // Tenants learn of the renewal when it takes over.
    await publish(tx, "lease.updated", { entityId: id, data: { ...leaseEventData(lease), status: lease.status } });
    return { lease: leaseView(await getLeaseRow(tx, renewal.id), emptyLeaseBalance(renewal.id)), notes: [], recurringChargeRules: [] };
  });
  return completeAfterCommit(committed, async (response) => {
    const { recurringChargeRules } = await syncLeaseBilling(
      db,
      clients,
      response.lease,
      "The renewal is drafted; its recurring charges will be set up as soon as the ledger is available again. Read the lease again in a moment.",
      (message) => clients.ledger.prepareLeaseBilling(db, { lease: message }),
    );
    return { ...response, recurringChargeRules };
  });
}

/** Inserts the renewal with the occupants who are not released before its start. Another rent than that of the parts of the lease is charged as a whole. */
async function insertRenewal(tx: OrgTx, lease: Lease, terms: RenewalTerms, rules: readonly RecurringChargeRule[]): Promise<Lease> {
  const isChargedAsWhole = terms.rentCents !== undefined && replacesRentParts(lease, rules, terms.rentCents, endDateBeforeRenewal(lease, terms.startDate));
  const rentChanges = await tx.find(RentChange, { leaseId: lease.id, deletedAt: null }, { orderBy: { effectiveDate: "asc" } });
  const renewal = tx.create(Lease, {
    propertyId: lease.propertyId,
    unitId: lease.unitId,
    tenantId: lease.tenantId,
    status: "draft",
    leaseKind: lease.leaseKind,
    // A holdover is month to month only since its term has passed.
    termType: terms.termType ?? (lease.isHoldover ? "fixed_with_rollover" : lease.termType),
    startDate: terms.startDate,
    endDate: terms.endDate,
    moveInDate: terms.moveInDate ?? lease.moveInDate,
    rentCents: terms.rentCents ?? rentOn(initialRent(rentChanges, lease.rentCents), rentChanges, terms.startDate),
    rentChargeDay: lease.rentChargeDay,
    lateFeeType: lease.lateFeeType,
    lateFeeAmountCents: lease.lateFeeAmountCents,
    lateFeeGraceDays: lease.lateFeeGraceDays,
    lateFeePercentBps: lease.lateFeePercentBps,
    coTenantsJointlyLiable: lease.coTenantsJointlyLiable,
    depositRequiredCents: lease.depositRequiredCents,
    // The lease that is renewed charges the days of that month before the start of the renewal.
    prorateFirstMonth: true,
    createRecurringRent: lease.createRecurringRent || isChargedAsWhole,
    renewedFromLeaseId: lease.id,
  });
  await tx.flush();
  const occupants = await tx.find(LeaseOccupant, { leaseId: lease.id, removedAt: null }, { orderBy: { position: "asc" } });
  const staying = occupants.filter(({ releasedOn }) => !releasedOn || releasedOn > terms.startDate);
  for (const [position, occupant] of staying.entries()) copyToRenewal(tx, lease, renewal, occupant, position, terms.moveInDate);
  return renewal;
}
