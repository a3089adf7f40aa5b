/** Transfer of a security deposit to the deposit of another lease, or of its money to an owner. */
import type { SecurityDeposit as View } from "@freehold/contract/trust/security-deposit.schema";
import type { securityDeposits } from "@freehold/contract/trust/security-deposits";
import type { BodyOf } from "@freehold/contract/operation";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { transaction } from "@freehold/kit/db/transaction";
import { conflict, invalid, unknownReference } from "@freehold/kit/errors";
import { today } from "@freehold/kit/time/clock";
import { getChart } from "../../../chart/categories.ts";
import type { Clients } from "../../../clients.ts";
import { requireOpenPeriod } from "../../../periods/require-open-period.ts";
import { lockLeases } from "../../../projections/lock-leases.ts";
import { findProjectedLeases, type ProjectedLease } from "../../../projections/projections.ts";
import { leasesOfTenancies } from "../../../projections/tenancy.queries.ts";
import { findOwnedProperties } from "../../../owners/owned-properties.ts";
import { requireNoneCancelled } from "../../../receivables/lease-billing/cancelled-leases.ts";
import { getLedgerSettings } from "../../../settings/ledger-settings.ts";
import { attachDepositCharges, insertDeposit, readTenancies } from "../attach-deposit-charges.ts";
import { checkTrustAccount, lockPlace, requireDepositFunds } from "../deposit-place.ts";
import { SecurityDeposit } from "../security-deposit.entity.ts";
import { depositDimensions, paidOutLines, requireHeldDeposit, leaseTransferLines, trustCents } from "../security-deposit.rules.ts";
import { publishDepositEvent } from "../security-deposit-events.ts";
import { getSecurityDeposit } from "../security-deposits.ts";
import { addTransaction, postDepositEntry } from "./post-transaction.ts";
import { creditDepositCharges, lockDepositCharges } from "./settle-charges.ts";

type Body = BodyOf<typeof securityDeposits.operations.transferSecurityDeposit>;

/**
 * Transfers what is held of a deposit. Throws a 400 for an unknown lease or owner, for a lease of the same tenancy and for an owner without a
 * share in the property, and a 409 for a deposit that is not held or has deductions.
 */
export async function transferSecurityDeposit(db: OrgDb, clients: Clients, id: string, body: Body): Promise<{ securityDeposit: View; warnings: string[] }> {
  const lease = body.toLeaseId ? await findLease(db, clients, body.toLeaseId) : undefined;
  const ownedIds = body.toOwnerId && (await findOwnedIds(db, clients, body.toOwnerId));
  return transaction(db, async (tx) => {
    const deposit = await lockTransferred(tx, id, lease?.id);
    const [settings, chart] = [await getLedgerSettings(tx), await getChart(tx)];
    await checkTrustAccount(tx, chart, body.bankAccountId);
    requireOneTarget(body);
    if (ownedIds) requireOwned(ownedIds, deposit);
    const view = await getSecurityDeposit(tx, id);
    const { status, deductions } = view;
    requireHeldDeposit(status);
    const amountCents = trustCents(view);
    if (amountCents <= 0) throw conflict("The owner holds the whole deposit already.", "invalid_transition");
    if (deductions.length > 0) throw conflict("The deposit has deductions. Delete them before it is transferred.", "resource_in_use");
    const occurredOn = body.occurredOn ?? today(settings.timezone);
    await requireOpenPeriod(tx, occurredOn, undefined);
    const target = lease && (await lockTarget(tx, deposit, lease, amountCents));
    const charges = target ? await lockDepositCharges(tx, target.id) : [];
    const place = await lockPlace(tx, chart, deposit, { requestedId: body.bankAccountId, amountCents, date: occurredOn });
    const { accountId, bankAccountId } = place;
    const from = depositDimensions(deposit);
    const terms = { amountCents, occurredOn, accountId, bankAccountId };
    if (target) {
      const lines = leaseTransferLines(chart, from, depositDimensions(target), place, amountCents);
      const entryId = await postDepositEntry(tx, settings.timezone, deposit, {
        memo: "Security deposit transferred to another lease",
        date: occurredOn,
        lines,
      });
      const memo = "Security deposit transferred from another lease";
      const creditIds = await creditDepositCharges(tx, settings.timezone, chart, target.id, charges, { amountCents, date: occurredOn, memo });
      addTransaction(tx, deposit, "transfer_out", { ...terms, entryId, counterpartId: target.id });
      addTransaction(tx, target, "transfer_in", { ...terms, entryId, counterpartId: id, creditIds });
      await requireNoneCancelled(tx, [target.leaseId], "toLeaseId");
      await publishDepositEvent(tx, "security_deposit.received", target);
    } else {
      if (!accountId) throw invalid([{ path: "bankAccountId", code: "required", message: "Name the bank account that the money leaves." }]);
      const ownerId = body.toOwnerId!;
      const lines = paidOutLines(chart, from, { accountId, bankAccountId }, amountCents, { ownerId, description: "Security deposit paid to the owner" });
      const entryId = await postDepositEntry(tx, settings.timezone, deposit, { memo: "Security deposit transferred to the owner", date: occurredOn, lines });
      addTransaction(tx, deposit, "owner_transfer", { ...terms, entryId, ownerId });
    }
    // The owner's deposit stays open for its disposition.
    if (deposit.holder === "organization") tx.assign(deposit, { isOpen: false });
    await tx.flush();
    await requireDepositFunds(tx, settings, chart, deposit, place, occurredOn);
    await publishDepositEvent(tx, "security_deposit.transferred", deposit);
    return { securityDeposit: await getSecurityDeposit(tx, id), warnings: tx.warnings };
  });
}

async function findLease(db: OrgDb, { portfolio }: Clients, id: string): Promise<ProjectedLease> {
  const lease = (await findProjectedLeases(db, portfolio, [id])).get(id);
  if (!lease || lease.isTenantDeleted) throw unknownReference("toLeaseId", "lease");
  return lease;
}

/** Returns the ids of the properties that an owner owns, owned or will own. Throws a 400 for an unknown owner. */
async function findOwnedIds(db: OrgDb, clients: Clients, id: string): Promise<Set<string>> {
  const [{ owners }, properties] = await Promise.all([clients.portfolio.getOwners(db, { ids: [id] }), findOwnedProperties(db, clients, [id])]);
  if (owners[0]?.isDeleted !== false) throw unknownReference("toOwnerId", "owner");
  return new Set(properties.map(({ propertyId }) => propertyId));
}

function requireOwned(ownedIds: ReadonlySet<string>, { propertyId }: SecurityDeposit): void {
  if (ownedIds.has(propertyId)) return;
  throw invalid([{ path: "toOwnerId", code: "mismatch", message: "The owner has no share in the property of the deposit. Name an owner of that property." }]);
}

function requireOneTarget({ toLeaseId, toOwnerId }: Body): void {
  if (toLeaseId && toOwnerId)
    throw invalid([{ path: "toOwnerId", code: "not_allowed", message: "A deposit goes either to a lease or to an owner. Leave one of them out." }]);
}

/** Locks the leases of both tenancies, in one order, and then the deposit that is transferred. */
async function lockTransferred(tx: OrgTx, id: string, toLeaseId: string | undefined): Promise<SecurityDeposit> {
  const own = await tx.first(sql<{ leaseId: string }>`select lease_id from security_deposit where organization_id = ${tx.organizationId} and id = ${id}`);
  const ids = [...(own ? [own.leaseId] : []), ...(toLeaseId ? [toLeaseId] : [])];
  const leases = await tx.all(sql<{ id: string }>`select unnest(${leasesOfTenancies(tx, ids)}) as id`);
  await lockLeases(tx, [...ids, ...leases.map((each) => each.id)]);
  await attachDepositCharges(tx, ids);
  return tx.getForUpdate(SecurityDeposit, id, "Security deposit");
}

/** Locks the open deposit of the tenancy of a lease, which is created where there is none. Throws a 400 for the deposit's own tenancy, and a 409 for a deposit of an owner. */
async function lockTarget(tx: OrgTx, deposit: SecurityDeposit, lease: ProjectedLease, requiredCents: number): Promise<SecurityDeposit> {
  const [tenancy] = await readTenancies(tx, [lease.id]);
  if (tenancy!.tenancyId === deposit.tenancyId)
    throw invalid([
      { path: "toLeaseId", code: "mismatch", message: "The lease is of the same tenancy, which keeps its deposit. Name a lease of another tenancy." },
    ]);
  const { tenantId, propertyId, unitId } = lease;
  await insertDeposit(tx, { ...tenancy!, tenantId, propertyId, unitId, bankAccountId: null, holder: "organization", requiredCents });
  const row = await tx.first(
    sql<{ id: string }>`select id from security_deposit where organization_id = ${tx.organizationId} and tenancy_id = ${tenancy!.tenancyId} and is_open`,
  );
  const target = await tx.getForUpdate(SecurityDeposit, row!.id, "Security deposit");
  if (target.holder === "owner" || deposit.holder === "owner")
    throw conflict(
      "One of the two deposits is held by its owner. Only deposits that the organization holds are transferred between leases.",
      "invalid_transition",
    );
  return target;
}
