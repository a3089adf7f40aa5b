/** Import of a payment with its allocation. */
import type { importedMoney } from "@freehold/contract/imports/imported-money";
import type { BodyOf } from "@freehold/contract/operation";
import { writeSequentially, type BatchWriter } from "@freehold/kit/db/batches/batch-write";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { batchTransaction } from "@freehold/kit/db/transaction";
import { unknownReference } from "@freehold/kit/errors";
import { sql } from "@freehold/kit/db/statement";
import { getChart, type Chart } from "../../chart/categories.ts";
import type { Clients } from "../../clients.ts";
import { loadLease, loadTenant } from "../../projections/load-leases.ts";
import { lockLeasesShared } from "../../projections/lock-leases.ts";
import { leasesOfTenancies } from "../../projections/tenancy.queries.ts";
import { getLedgerSettings } from "../../settings/ledger-settings.ts";
import { lockCharges } from "../payments/payment.queries.ts";
import { requireChargeOfPayer } from "../payments/payment.rules.ts";
import { paymentKeyOf, recordImportedPayment } from "./imported-payment.ts";

type Body = BodyOf<typeof importedMoney.operations.importPayment>;

interface PaymentToImport {
  chart: Chart;
  allocationOrder: readonly string[];
  key: string;
  body: Body & { tenantId: string };
}

/**
 * Records a payment and settles the named charge up to its balance, or without one the open charges, in one transaction. What is left
 * of the payment is credit. Throws a 400 for a charge that the payer cannot pay.
 */
export async function importPayment(db: OrgDb, clients: Clients, body: Body): Promise<{ paymentId: string }> {
  const lease = body.leaseId === undefined ? undefined : await loadLease(db, clients, body.leaseId);
  if (body.tenantId !== undefined) await loadTenant(db, clients, body.tenantId);
  const [chart, { policies }] = [await getChart(db), await getLedgerSettings(db)];
  const tenantId = body.tenantId ?? lease!.tenantId;
  return batchTransaction(db, importPayments, { chart, allocationOrder: policies.allocationOrder, key: paymentKeyOf(db), body: { ...body, tenantId } });
}

/** Batch writer for `importPayment`: locks the leases and charges of all payments in one order, and records one payment after the other. */
const importPayments: BatchWriter<PaymentToImport, { paymentId: string }> = async (tx, inputs) => {
  await tx.all(lockLeasesShared(inputs.flatMap(({ body }) => body.leaseId ?? [])));
  await lockChargesOf(tx, inputs);
  return writeSequentially(tx, inputs, async (_, [input]) => [{ paymentId: await recordOne(tx, input!) }]);
};

/** Locks the named charges, and the open charges of the leases of payments without one, in the order of their ids. */
async function lockChargesOf(tx: OrgTx, inputs: readonly PaymentToImport[]): Promise<void> {
  const chargeIds = inputs.flatMap(({ body }) => body.chargeId ?? []);
  const leaseIds = inputs.flatMap(({ body }) => (body.chargeId === undefined && body.leaseId !== undefined ? [body.leaseId] : []));
  await tx.all(sql`select 1 from charge where organization_id = ${tx.organizationId} and id = any(${chargeIds}::uuid[] || array(
      select charge_id from open_charge where organization_id = ${tx.organizationId} and lease_id = any(${leasesOfTenancies(tx, leaseIds)})))
    order by id for no key update`);
}

async function recordOne(tx: OrgTx, { chart, allocationOrder, key, body }: PaymentToImport): Promise<string> {
  const { chargeId, ...terms } = body;
  const payment = { ...terms, idempotencyKey: key };
  if (chargeId === undefined) return recordImportedPayment(tx, chart, { ...payment, autoAllocate: true }, allocationOrder);
  const [charge] = await tx.all(lockCharges(tx, [chargeId], body));
  if (!charge) throw unknownReference("chargeId", "charge");
  requireChargeOfPayer(charge, body, "chargeId");
  const amountCents = Math.min(charge.balanceCents, body.amountCents) as Body["amountCents"];
  return recordImportedPayment(tx, chart, { ...payment, allocations: amountCents > 0 ? [{ chargeId, amountCents }] : [] });
}
