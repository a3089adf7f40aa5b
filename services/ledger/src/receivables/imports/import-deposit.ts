/** Import of a security deposit with its receipt. */
import type { importedMoney } from "@freehold/contract/imports/imported-money";
import type { BodyOf } from "@freehold/contract/operation";
import type { BatchWriter } from "@freehold/kit/db/batches/batch-write";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { batchTransaction, transaction } from "@freehold/kit/db/transaction";
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
  if (isHeld) return transaction(db, async (tx) => ({ recordId: await importHeldDeposit(tx, lease, body) }));
  return batchTransaction(db, importUndepositedMoney, { lease, body, idempotencyKey: paymentKeyOf(db) });
}

async function importHeldDeposit(tx: OrgTx, lease: ProjectedLease, { amountCents, receivedAt, holder, bankAccountId }: Body): Promise<string> {
  const id = await insertSecurityDeposit(tx, lease, { requiredCents: amountCents, holder, bankAccountId });
  await receiveSecurityDeposit(tx, id, omitUndefined({ amountCents, paymentMethod: "other" as const, receivedAt, bankAccountId }));
  return id;
}

interface UndepositedMoney {
  lease: ProjectedLease;
  body: Body;
  idempotencyKey: string;
}

/** Batch writer for deposits in undeposited funds: charges all on the days of their receipts, and then records the payments that settle the charges. */
const importUndepositedMoney: BatchWriter<UndepositedMoney, { recordId: string }> = async (tx, inputs) => {
  const [settings, chart] = [await getLedgerSettings(tx), await getChart(tx)];
  const charges = inputs.map(({ lease, body }) => ({ ...depositCharge(lease, body.amountCents, body.receivedOn), isImported: true }));
  const posted = await postUnsettledCharges(tx, settings, chart, charges);
  for (const [index, { lease, body, idempotencyKey }] of inputs.entries()) {
    const { amountCents, receivedAt } = body;
    const allocations = [{ chargeId: posted[index]!.id, amountCents }];
    const payer = { leaseId: lease.id, tenantId: lease.tenantId };
    await recordImportedPayment(tx, chart, { ...payer, amountCents, paymentMethod: "other", receivedAt, idempotencyKey, allocations });
  }
  return posted.map(({ id }) => ({ recordId: id }));
};
