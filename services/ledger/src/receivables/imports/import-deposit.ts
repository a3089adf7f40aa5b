/** Import of a security deposit with its receipt. */
import type { importedMoney } from "@freehold/contract/imports/imported-money";
import type { BodyOf } from "@freehold/contract/operation";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { transaction } from "@freehold/kit/db/transaction";
import { omitUndefined } from "@freehold/kit/omit-undefined";
import { getChart } from "../../chart/categories.ts";
import type { Clients } from "../../clients.ts";
import { loadChargeableLease } from "../../projections/load-leases.ts";
import type { ProjectedLease } from "../../projections/projections.ts";
import { getLedgerSettings } from "../../settings/ledger-settings.ts";
import { depositCharge, insertSecurityDeposit } from "../../trust/security-deposits/security-deposits.ts";
import { receiveSecurityDeposit } from "../../trust/security-deposits/transactions/receive-deposit.ts";
import { postUnsettledCharges } from "../charges/post-charges.ts";
import { paymentKeyOf, recordImportedPayment } from "./imported-payment.ts";

type Body = BodyOf<typeof importedMoney.operations.importDeposit>;

/**
 * Records a deposit and its receipt in one transaction: in its bank account, with its owner, or in undeposited funds. Throws a 409 for a
 * deposit that a bank account or the owner holds while the tenancy has an open one.
 */
export async function importDeposit(db: OrgDb, clients: Clients, body: Body): Promise<{ recordId: string }> {
  const lease = await loadChargeableLease(db, clients, body.leaseId);
  const isHeld = body.bankAccountId !== undefined || body.holder === "owner";
  return transaction(db, async (tx) => ({
    recordId: isHeld ? await importHeldDeposit(tx, lease, body) : await importUndepositedMoney(tx, lease, body, paymentKeyOf(db)),
  }));
}

async function importHeldDeposit(tx: OrgTx, lease: ProjectedLease, { amountCents, receivedAt, holder, bankAccountId }: Body): Promise<string> {
  const id = await insertSecurityDeposit(tx, lease, { requiredCents: amountCents, holder, bankAccountId });
  await receiveSecurityDeposit(tx, id, omitUndefined({ amountCents, paymentMethod: "other" as const, receivedAt, bankAccountId }));
  return id;
}

/** Charges the deposit on the day of its receipt, records the payment that settles the charge, and returns the id of the charge. */
async function importUndepositedMoney(
  tx: OrgTx,
  lease: ProjectedLease,
  { amountCents, receivedOn, receivedAt }: Body,
  idempotencyKey: string,
): Promise<string> {
  const [settings, chart] = [await getLedgerSettings(tx), await getChart(tx)];
  const [charge] = await postUnsettledCharges(tx, settings, chart, [{ ...depositCharge(lease, amountCents, receivedOn), isImported: true }]);
  const allocations = [{ chargeId: charge!.id, amountCents }];
  const { id: leaseId, tenantId } = lease;
  await recordImportedPayment(tx, chart, { tenantId, leaseId, amountCents, paymentMethod: "other", receivedAt, idempotencyKey, allocations });
  return charge!.id;
}
