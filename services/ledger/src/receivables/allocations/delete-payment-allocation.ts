/** Removal of one allocation, whose amount becomes credit of the payment again. */
import type { Output } from "@freehold/contract/operation";
import type { payments } from "@freehold/contract/ledger/payments";
import { today } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { notFound } from "@freehold/kit/errors";
import { getChart } from "../../chart/categories.ts";
import type { Clients } from "../../clients.ts";
import { findOwnershipOf } from "../../owners/owned-properties.ts";
import { requireOwnersFunds } from "../../owners/owners-funds.ts";
import { getLedgerSettings } from "../../settings/ledger-settings.ts";
import { lockBankAccounts, type LockedAccount } from "../../trust/bank-accounts/bank-account-references.ts";
import { requireTrustFunds } from "../../trust/bank-accounts/trust-funds.ts";
import { beneficiaryAt } from "../../trust/bank-accounts/trust-funds.rules.ts";
import { Charge } from "../charges/charge.entity.ts";
import { Deposit } from "../deposits/deposit.entity.ts";
import { Payment, PaymentAllocation } from "../payments/payment.entity.ts";
import { getPayment } from "../payments/payments.ts";
import { lockDepositOfAllocation, requireUnusedDeposit } from "../../trust/security-deposits/require-unused-deposit.ts";
import { removeAllocation } from "./remove-allocation.ts";

/**
 * Removes one allocation: the charge is open and the amount is credit of the payment from today, or from the day on which the
 * allocation settles the charge if that day is later. Throws 404 for an unknown allocation and for one that has been released, and 409
 * for the payment of a security deposit that has been used, and when the owners of the property have used the money.
 */
export async function deletePaymentAllocation(
  db: OrgDb,
  clients: Clients,
  id: string,
  allocationId: string,
): Promise<Output<typeof payments.operations.deletePaymentAllocation>> {
  const properties = await findOwnershipOf(db, clients, await findSettledProperties(db, id, allocationId));
  return transaction(db, async (tx) => {
    await lockDepositOfAllocation(tx, id, allocationId);
    const settings = await getLedgerSettings(tx);
    const [{ timezone }, chart] = [settings, await getChart(tx)];
    const payment = await tx.getForUpdate(Payment, id, "Payment");
    const allocation = await tx.findOne(PaymentAllocation, { id: allocationId, paymentId: id, releasedAt: null });
    if (!allocation) throw notFound("Allocation");
    // Charges are locked before bank accounts.
    await tx.findAllForUpdate(Charge, [allocation.chargeId]);
    const account = await lockAccountOf(tx, payment);
    const charge = await removeAllocation(tx, timezone, chart, payment, allocation, today(timezone));
    await requireUnusedDeposit(tx, charge.id);
    if (account && charge.chargeType !== "deposit") {
      await requireTrustFunds(tx, settings, chart, account, [beneficiaryAt(charge.propertyId)], today(timezone));
      await requireOwnersFunds(tx, settings, chart, account, properties, [await findReleaseEntry(tx, allocationId)], today(timezone));
    }
    return { payment: await getPayment(tx, id), warnings: tx.warnings };
  });
}

/** Returns the property of the charge that an allocation settles. */
async function findSettledProperties(db: OrgDb, id: string, allocationId: string): Promise<string[]> {
  const rows = await db.all(sql<{ propertyId: string }>`select c.property_id from payment_allocation a
      join charge c on c.organization_id = a.organization_id and c.id = a.charge_id
    where a.organization_id = ${db.organizationId} and a.payment_id = ${id} and a.id = ${allocationId}`);
  return rows.map(({ propertyId }) => propertyId);
}

async function findReleaseEntry(tx: OrgTx, allocationId: string): Promise<string> {
  const row = await tx.first(
    sql<{ id: string }>`select release_entry_id as id from payment_allocation where organization_id = ${tx.organizationId} and id = ${allocationId}`,
  );
  return row!.id;
}

/** Locks the bank account in which the money of a payment was deposited. Returns undefined for undeposited money. */
async function lockAccountOf(tx: OrgTx, { bankDepositId }: Payment): Promise<LockedAccount | undefined> {
  const deposit = bankDepositId ? await tx.findOne(Deposit, { id: bankDepositId }) : null;
  return deposit?.bankAccountId ? (await lockBankAccounts(tx, [deposit.bankAccountId])).get(deposit.bankAccountId) : undefined;
}
