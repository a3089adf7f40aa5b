/** Charges: create, read and list. */
import type { Charge as View, ChargeAllocation, charges } from "@freehold/contract/ledger/charges";
import type { BodyOf, QueryOf } from "@freehold/contract/operation";
import { today } from "@freehold/kit/time/clock";
import { writeSequentially, type BatchWriter } from "@freehold/kit/db/batches/batch-write";
import { batchTransaction } from "@freehold/kit/db/transaction";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import { invalid, notFound, unknownReference } from "@freehold/kit/errors";
import { listConditions, listPage } from "@freehold/kit/db/list";
import { containsPattern } from "@freehold/kit/like-pattern";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import type { z } from "zod";
import { requireOpenDate } from "../../periods/accounting-period.rules.ts";
import { getLedgerSettings, inLedgerTimezone, onLedgerDays } from "../../settings/ledger-settings.ts";
import { getChart, requireIncomeAccount, requireIncomeOrOpeningAccount, type Chart } from "../../chart/categories.ts";
import type { Clients } from "../../clients.ts";
import { findProjectedLease } from "../../projections/load-leases.ts";
import type { ProjectedLease } from "../../projections/projections.ts";
import { chargeColumns, chargeView, type ChargeRow } from "./charge.view.ts";
import { cancelledLeaseError, requireNoneCancelled } from "../lease-billing/cancelled-leases.ts";
import { postCharges, type NewCharge } from "./post-charges.ts";
import { chargeTotalsQuery, isOpenStatusFilter, type ChargeTotals } from "./charge-totals.queries.ts";

type Operations = typeof charges.operations;

/** Origin of a created charge. Imported charges may be credited to retained earnings, as opening balances, and bear no late fees. */
export interface ChargeOrigin {
  requireAccount: typeof requireIncomeAccount;
  isImported: boolean;
}
export const officeOrigin: ChargeOrigin = { requireAccount: requireIncomeAccount, isImported: false };
export const importOrigin: ChargeOrigin = { requireAccount: requireIncomeOrOpeningAccount, isImported: true };

/** Returns the name of a charge that was created without one, from its type. */
const defaultName = (type: string) => `${type[0]!.toUpperCase()}${type.slice(1).replaceAll("_", " ")}`.replace("Nsf", "NSF").replace("Cam", "CAM");

/** Posts a charge on a lease. Throws a 400 for a lease that cannot be charged and for an account that the charge cannot be credited to. */
export async function createCharge(db: OrgDb, clients: Clients, body: BodyOf<Operations["createCharge"]>, origin: ChargeOrigin): Promise<{ charge: View }> {
  const chart = await getChart(db);
  const lease = await findProjectedLease(db, clients, body.leaseId);
  return batchTransaction(db, createChargeBatch, { chart, charge: resolveCharge(chart, lease, body, origin) });
}

/** Returns the charge to post for a request, or throws a 400 for an account that cannot be credited or a lease that cannot be charged. */
export function resolveCharge(chart: Chart, lease: ProjectedLease | undefined, body: BodyOf<Operations["createCharge"]>, origin: ChargeOrigin): NewCharge {
  const { leaseId: _, name, ...terms } = body;
  if (terms.categoryId) origin.requireAccount(chart, terms.categoryId, "categoryId");
  if (!lease) throw unknownReference("leaseId", "lease");
  if (lease.isTenantDeleted) throw invalid([{ path: "leaseId", code: "not_found", message: "The tenant of this lease was deleted and cannot be charged." }]);
  if (lease.status === "cancelled") throw cancelledLeaseError();
  const { isImported } = origin;
  return { ...terms, name: name ?? defaultName(terms.chargeType), lease, isImported, isDateFixed: !isImported };
}

type ChargeWriter = BatchWriter<{ chart: Chart; charge: NewCharge }, { charge: View }>;

/**
 * Batch writer for `createCharge`. With automatic allocation, charges of the same lease are posted one after the other, so that
 * credit is applied to each as in separate requests.
 */
export const createChargeBatch: ChargeWriter = async (tx, inputs) => {
  const { policies } = await getLedgerSettings(tx);
  const leaseIds = new Set(inputs.map(({ charge }) => charge.lease.id));
  if (policies.autoAllocatePayments && leaseIds.size < inputs.length) return writeSequentially(tx, inputs, createChargesAtOnce);
  return createChargesAtOnce(tx, inputs);
};

/** Posts all charges, and then applies credit to the oldest of them first. */
export const createChargesAtOnce: ChargeWriter = async (tx, inputs) => {
  const settings = await getLedgerSettings(tx);
  for (const { charge } of inputs) if (charge.isDateFixed) requireOpenDate(settings.softClosedThrough, charge.dueDate);
  const posted = await postCharges(
    tx,
    settings,
    inputs[0]!.chart,
    inputs.map(({ charge }) => charge),
  );
  await requireNoneCancelled(
    tx,
    inputs.map(({ charge }) => charge.lease.id),
  );
  const rows = await tx.all(sql<ChargeRow>`select ${chargeColumns} from charge c
    where c.organization_id = ${tx.organizationId} and c.id = any(${posted.map(({ id }) => id)}::uuid[])`);
  const views = new Map(rows.map((row) => [row.id, chargeView(row, settings.timezone)]));
  return posted.map(({ id }) => ({ charge: views.get(id)! }));
};

/** Returns a charge. Throws 404 for an unknown id. */
export async function getCharge(db: StatementRunner, id: string): Promise<View> {
  const row = await db.first(sql<ChargeRow>`select ${chargeColumns} from charge c where c.organization_id = ${db.organizationId} and c.id = ${id}`);
  if (!row) throw notFound("Charge");
  return chargeView(row, (await getLedgerSettings(db)).timezone);
}

/** Returns the live payment allocations of a charge, oldest first. */
export const listChargeAllocations = (db: OrgDb, chargeId: string): Promise<z.output<typeof ChargeAllocation>[]> =>
  db.all(sql`select id, payment_id, charge_id, amount_cents, created_at from payment_allocation
    where organization_id = ${db.organizationId} and charge_id = ${chargeId} and released_at is null order by created_at, id limit 1000`);

/** Returns a page of charges. Overdue days are counted in the organization's time zone. */
export async function listCharges(request: OrgDb, query: QueryOf<Operations["listCharges"]>) {
  const db = await inLedgerTimezone(request);
  const where = filterConditions(db, query);
  const {
    rows,
    aggregates: { amountCents, balanceCents },
    paging,
  } = await listPage<ChargeRow, ChargeTotals>(db, query, {
    table: "c",
    aggregates: chargeTotalsQuery(db, query, where),
    select: chargeColumns,
    from: sql`charge c`,
    where,
    sorts: {
      dueDate: sql`c.due_date`,
      amountCents: sql`c.amount_cents`,
      balanceCents: sql`c.balance_cents`,
      status: sql`c.status`,
      createdAt: sql`c.created_at`,
    },
  });
  return { charges: rows.map((row) => chargeView(row, db.principal.timezone)), ...paging, totals: { amountCents, balanceCents } };
}

function filterConditions(db: OrgDb, query: QueryOf<Operations["listCharges"]>) {
  const { search, leaseId, tenantId, propertyId, unitId, recurringChargeRuleId, workOrderId, chargeType, status, overdue } = query;
  const { dueAfter, dueBefore, createdAfter, createdBefore } = query;
  const zone = db.principal.timezone;
  const isOverdue = sql`(c.balance_cents > 0 and c.due_date < ${today(zone)})`;
  const inOpenCharges = (condition: RawBuilder<unknown>) =>
    sql`c.id in (select charge_id from open_charge where organization_id = ${db.organizationId} and ${condition})`;
  return [
    ...listConditions(db, "c", query, false),
    search !== undefined && sql`(c.name ilike ${containsPattern(search)} or c.memo ilike ${containsPattern(search)})`,
    leaseId !== undefined && sql`c.lease_id = ${leaseId}`,
    tenantId !== undefined && sql`c.tenant_id = ${tenantId}`,
    propertyId !== undefined && sql`c.property_id = ${propertyId}`,
    unitId !== undefined && sql`c.unit_id = ${unitId}`,
    recurringChargeRuleId !== undefined && sql`c.recurring_charge_rule_id = ${recurringChargeRuleId}`,
    workOrderId !== undefined && sql`c.work_order_id = ${workOrderId}`,
    chargeType && sql`c.charge_type = any(${chargeType})`,
    status && (isOpenStatusFilter(status) ? inOpenCharges(sql`true`) : sql`c.status = any(${status})`),
    overdue !== undefined && (overdue ? inOpenCharges(sql`due_date < ${today(zone)}`) : sql`not ${isOverdue}`),
    dueAfter !== undefined && sql`c.due_date >= ${dueAfter}`,
    dueBefore !== undefined && sql`c.due_date <= ${dueBefore}`,
    ...onLedgerDays(db, sql`c.created_at`, createdAfter, createdBefore),
  ];
}
