import type { BodyOf, QueryOf } from "@freehold/contract/operation";
import type { RecurringChargeRule as View, recurringCharges } from "@freehold/contract/recurring-charges";
import { today } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { newId } from "@freehold/kit/db/entity";
import { conflict, notFound, unknownReference } from "@freehold/kit/errors";
import { listAllOrPage } from "@freehold/kit/db/list";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import { rulesOf } from "../../settings/ledger-settings.ts";
import { chartOf, requireChargeable } from "../../chart/categories.ts";
import type { Clients } from "../../clients.ts";
import { findLeases } from "../../projections/copies.ts";
import { RecurringChargeRule } from "./recurring-charge.entity.ts";
import { recurringChargeFlow } from "./recurring-charge.rules.ts";
import { recurringChargeView, ruleColumns, type RuleRow } from "./recurring-charge.view.ts";

type Operations = typeof recurringCharges.operations;
const announce = eventPublisher("ledger");

export async function getRecurringCharge(db: StatementRunner, id: string): Promise<View> {
  const row = await db.first(sql<RuleRow>`select ${ruleColumns} from recurring_charge_rule r where r.organization_id = ${db.organizationId} and r.id = ${id}`);
  if (!row) throw notFound("Recurring charge");
  return recurringChargeView(row);
}

/** Rules by the given filters: all of them, or a page when one is asked for. */
export async function listRecurringCharges(db: OrgDb, { leaseId, unitId, kind, updatedAfter, ...query }: QueryOf<Operations["listRecurringCharges"]>) {
  const { rows, paging } = await listAllOrPage<RuleRow>(
    db,
    { ...query, sortBy: "createdAt", sortDirection: "asc" },
    {
      table: "r",
      select: ruleColumns,
      from: sql`recurring_charge_rule r`,
      sorts: { createdAt: sql`r.created_at` },
      where: [
        sql`r.organization_id = ${db.organizationId}`,
        leaseId !== undefined && sql`r.lease_id = ${leaseId}`,
        unitId !== undefined && sql`r.unit_id = ${unitId}`,
        kind !== undefined && sql`r.kind = ${kind}`,
        updatedAfter !== undefined && sql`r.updated_at > ${updatedAfter}::timestamptz`,
      ],
    },
  );
  return { recurringChargeRules: rows.map(recurringChargeView), ...paging };
}

/** Sets up what is charged every month. The past is charged only when `postMissed` says so. */
export async function createRecurringCharge(
  db: OrgDb,
  clients: Clients,
  body: BodyOf<Operations["createRecurringCharge"]>,
): Promise<{ recurringChargeRule: View }> {
  requireChargeable(await chartOf(db), body.categoryId, "categoryId");
  const subject = await subjectOf(db, clients, body);
  const { timezone } = await rulesOf(db);
  const { amountCents, categoryId, dayOfMonth, startDate, endDate, kind, label, status, postMissed } = body;
  return transaction(db, async (tx) => {
    const rule = tx.create(RecurringChargeRule, {
      id: newId(),
      ...subject,
      amountCents,
      categoryId,
      dayOfMonth,
      startDate,
      endDate,
      kind,
      label,
      status,
      isLeaseRent: false,
      proratesFirstMonth: false,
      postFrom: postMissed ? startDate : today(timezone),
    });
    await tx.flush();
    await announce(tx, "recurring_charge.created", { entityId: rule.id, data: { leaseId: rule.leaseId ?? null, status } });
    return { recurringChargeRule: await getRecurringCharge(tx, rule.id) };
  });
}

async function subjectOf(db: OrgDb, clients: Clients, { leaseId, unitId }: { leaseId?: string | undefined; unitId?: string | undefined }) {
  if (leaseId) {
    const lease = (await findLeases(db, clients.portfolio, [leaseId])).get(leaseId);
    if (!lease) throw unknownReference("leaseId", "lease");
    return { leaseId, unitId: lease.unitId, propertyId: lease.propertyId, tenantId: lease.tenantId };
  }
  const { units } = await clients.portfolio.getUnits(db, { ids: [unitId!] });
  if (!units[0]) throw unknownReference("unitId", "unit");
  return { leaseId: null, unitId: unitId!, propertyId: units[0].propertyId, tenantId: null };
}

/** Rules to change together, locked in the order of their ids and as they are now. */
export async function lockRules(tx: OrgTx, which: RawBuilder<unknown>): Promise<RecurringChargeRule[]> {
  const rows = await tx.all(
    sql<{ id: string }>`select id from recurring_charge_rule where organization_id = ${tx.organizationId} and ${which} order by id for update`,
  );
  return tx.findAllForUpdate(
    RecurringChargeRule,
    rows.map(({ id }) => id),
  );
}

/** Moves a rule to another status, as far as the table allows, and says so. */
export async function move(tx: OrgTx, rule: RecurringChargeRule, to: View["status"], change: { postFrom?: string; endDate?: string } = {}): Promise<void> {
  tx.assign(rule, { status: recurringChargeFlow.transition(rule.status, to), ...change });
  await announce(tx, "recurring_charge.updated", { entityId: rule.id, data: { leaseId: rule.leaseId ?? null, status: to } });
}

/** Stops charging until it is resumed; what falls due meanwhile is skipped. */
export const pauseRecurringCharge = (db: OrgDb, id: string): Promise<{ recurringChargeRule: View }> =>
  transaction(db, async (tx) => {
    await move(tx, await tx.getForUpdate(RecurringChargeRule, id, "Recurring charge"), "paused");
    return { recurringChargeRule: await getRecurringCharge(tx, id) };
  });

/** Charges again from today, or with `postMissed` also for the months that passed. Only a paused rule can be resumed. */
export const resumeRecurringCharge = (db: OrgDb, id: string, postMissed: boolean): Promise<{ recurringChargeRule: View }> =>
  transaction(db, async (tx) => {
    const { timezone } = await rulesOf(tx);
    const rule = await tx.getForUpdate(RecurringChargeRule, id, "Recurring charge");
    if (rule.status !== "paused") throw conflict(`The recurring charge is ${rule.status}; only a paused one can be resumed.`, "invalid_transition");
    await move(tx, rule, "active", postMissed ? {} : { postFrom: today(timezone) });
    return { recurringChargeRule: await getRecurringCharge(tx, id) };
  });
