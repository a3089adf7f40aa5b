/** Costs of work orders: their expenses, and what of them is charged to the tenant. */
import type { workOrderCosts } from "@freehold/contract/maintenance/work-order-costs";
import type { BodyOf, Output } from "@freehold/contract/operation";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { batchTransaction } from "@freehold/kit/db/transaction";
import { invalid, notFound } from "@freehold/kit/errors";
import type { WorkOrder } from "@freehold/proto/portfolio/v1/portfolio";
import { getChart, requireIncomeAccount } from "../../chart/categories.ts";
import type { Clients } from "../../clients.ts";
import { findProjectedLeases } from "../../projections/projections.ts";
import { createChargeBatch } from "../../receivables/charges/charges.ts";
import { createExpense } from "../expenses/expenses.ts";
import { differingMembers, requireChargeableLease, requireUncancelled, type CommonRecords } from "./work-order-costs.rules.ts";

type Operations = typeof workOrderCosts.operations;
type ExpenseOperation = Operations["createWorkOrderExpense"];
type ChargeOperation = Operations["chargeWorkOrderTenant"];

/** Returns a work order that the caller reaches. Throws 404 for others. */
export async function requireWorkOrder(db: OrgDb, { portfolio }: Clients, id: string): Promise<WorkOrder> {
  const { workOrders } = await portfolio.getWorkOrders(db, { ids: [id] });
  if (!workOrders[0]) throw notFound("Work order");
  return workOrders[0];
}

/**
 * Records an expense at the property and unit of a work order. Throws a 400 for another property, unit or work order, a 409 for a cancelled
 * work order, and otherwise like `createExpense`.
 */
export async function createWorkOrderExpense(db: OrgDb, clients: Clients, id: string, body: BodyOf<ExpenseOperation>): Promise<Output<ExpenseOperation>> {
  const { propertyId, unitId, vendorId, status } = await requireWorkOrder(db, clients, id);
  await requireSameRecords(db, clients, body, { propertyId, unitId: unitId ?? null, workOrderId: id });
  requireUncancelled(status);
  return createExpense(db, clients, { vendorId, ...body, propertyId, unitId, workOrderId: id });
}

/** Throws a 400 that names each member that differs from that of the work order: `not_found` if the organization has no such record, else `mismatch`. */
async function requireSameRecords(db: OrgDb, { portfolio }: Clients, sent: BodyOf<ExpenseOperation>, workOrder: CommonRecords): Promise<void> {
  const members = differingMembers(sent, workOrder);
  if (members.length === 0) return;
  const idsOf = (member: keyof CommonRecords) => ({ ids: sent[member] ? [sent[member]] : [] });
  const [{ properties }, { units }, { workOrders }] = await Promise.all([
    portfolio.getProperties(db, idsOf("propertyId")),
    portfolio.getUnits(db, idsOf("unitId")),
    portfolio.getWorkOrders(db, idsOf("workOrderId")),
  ]);
  const known = new Set([...properties, ...units, ...workOrders].map((record) => record.id));
  throw invalid(
    members.map((path) => {
      const id = sent[path];
      if (id && !known.has(id)) return { path, code: "not_found", message: `There is no record with this id. Leave ${path} out.` };
      return { path, code: "mismatch", message: `${path} differs from that of the work order. Leave ${path} out.` };
    }),
  );
}

/** Charges the tenant of a work order on its lease. Throws a 400 for an account that is not of income, and a 409 for a work order whose costs the tenant does not bear. */
export async function chargeWorkOrderTenant(
  db: OrgDb,
  clients: Clients,
  id: string,
  { name, memo, ...terms }: BodyOf<ChargeOperation>,
): Promise<Output<ChargeOperation>> {
  const [chart, workOrder] = await Promise.all([getChart(db), requireWorkOrder(db, clients, id)]);
  requireIncomeAccount(chart, terms.categoryId, "categoryId");
  const leases = workOrder.leaseId === undefined ? undefined : await findProjectedLeases(db, clients.portfolio, [workOrder.leaseId]);
  const lease = requireChargeableLease(workOrder, leases?.get(workOrder.leaseId!));
  const texts = { name: name ?? workOrder.title, memo: memo ?? `Work order #${workOrder.number}` };
  return batchTransaction(db, createChargeBatch, { chart, charge: { ...terms, ...texts, chargeType: "damage", workOrderId: id, lease, isDateFixed: true } });
}
