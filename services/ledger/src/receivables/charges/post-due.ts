/** Posts what recurring charges owe their tenants: every month once, however often it runs. */
import type { charges } from "@freehold/contract/charges";
import type { BodyOf, Output } from "@freehold/contract/operation";
import { today } from "@freehold/kit/time/clock";
import { addDays, addMonths } from "@freehold/kit/time/plain-date";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { invalid, unknownReference } from "@freehold/kit/errors";
import { sql } from "@freehold/kit/db/statement";
import { rulesOf, type BookRules } from "../../settings/ledger-settings.ts";
import { chartOf, type Chart } from "../../chart/categories.ts";
import type { Clients } from "../../clients.ts";
import { findLeases, type LeaseFacts } from "../../projections/copies.ts";
import { duePeriods, type DuePeriod, type Rule } from "../recurring-charges/recurring-charge.rules.ts";
import { chargeLeases, type NewCharge } from "./charging.ts";

type Operation = typeof charges.operations.postDueCharges;
type Posting = Output<Operation>["posting"];
type PostingLine = Posting["lines"][number];

/** So many charges commit together: enough to be fast, few enough to hold no lock for long. */
const CHUNK = 100;

type DueRule = Rule & { id: string; version: number; leaseId: string | null; unitId: string | null; categoryId: string; kind: "rent" | "fee"; label: string };

interface Due {
  rule: DueRule;
  period: DuePeriod;
  lease: LeaseFacts | undefined;
}

/** Posts what is due through a day. With `dryRun` nothing is posted and the answer says what would be. */
export async function postDueCharges(db: OrgDb, clients: Clients, body: BodyOf<Operation>): Promise<{ posting: Posting }> {
  const rules = await rulesOf(db);
  const now = today(rules.timezone);
  const throughDate = body.throughDate ?? addDays(now, rules.policies.postDaysInAdvance);
  if (throughDate > addMonths(now, 12)) throw invalid([{ path: "throughDate", code: "max", message: "throughDate can be at most a year ahead." }]);
  await requireProperty(db, clients, body.propertyId);
  const due = await findDue(db, clients, rules, throughDate, body.propertyId);
  const chart = await chartOf(db);
  const postSome = (tx: OrgTx, some: readonly Due[]): Promise<PostingLine[]> =>
    body.dryRun ? Promise.resolve(some.map((each) => line(each, null, each.lease ? null : vacant))) : postChunk(tx, rules, chart, some);
  // The answer is kept with the key, so all of it commits together.
  if (db.request.idempotency) return transaction(db, async (tx) => ({ posting: summary(throughDate, await postSome(tx, due)) }));
  const lines: PostingLine[] = [];
  for (let at = 0; at < due.length; at += CHUNK) lines.push(...(await transaction(db, (tx) => postSome(tx, due.slice(at, at + CHUNK)))));
  return { posting: summary(throughDate, lines) };
}

async function requireProperty(db: OrgDb, { portfolio }: Clients, id: string | undefined): Promise<void> {
  if (!id) return;
  const { properties } = await portfolio.getProperties(db, { ids: [id] });
  if (properties.length === 0) throw unknownReference("propertyId", "property");
}

const vacant = "The unit has no active lease.";
const already = "Posted already.";
const changed = "The rule was changed meanwhile.";

const summary = (throughDate: string, lines: PostingLine[]): Posting => {
  const created = lines.filter(({ chargeId, reason }) => chargeId !== null && reason === null).length;
  return { throughDate, created, skipped: lines.filter(({ reason }) => reason !== null).length, lines };
};

const line = ({ rule, period }: Due, chargeId: string | null, reason: string | null): PostingLine => ({
  ruleId: rule.id,
  periodStart: period.periodStart,
  dueDate: period.dueDate,
  amountCents: period.amountCents as PostingLine["amountCents"],
  chargeId,
  reason,
});

async function findDue(db: OrgDb, clients: Clients, { policies }: BookRules, throughDate: string, propertyId: string | undefined): Promise<Due[]> {
  const rules = await db.all(sql<DueRule & { chargedPeriods: string[] | null }>`
    select r.id, r.version, r.lease_id, r.unit_id, r.category_id, r.kind, r.label, r.amount_cents, r.day_of_month, r.start_date, r.end_date, r.post_from, r.is_lease_rent, r.prorates_first_month,
      (select array_agg(c.period_start::text) from charge c where c.organization_id = r.organization_id and c.recurring_charge_rule_id = r.id) as charged_periods
    from recurring_charge_rule r where r.organization_id = ${db.organizationId} and r.status = 'active' and r.start_date <= ${throughDate}
      and (${propertyId ?? null}::uuid is null or r.property_id = ${propertyId ?? null}::uuid) order by r.id`);
  const leaseOfUnit = await currentLeases(
    db,
    clients,
    rules.flatMap(({ unitId }) => unitId ?? []),
  );
  const leases = await findLeases(db, clients.portfolio, [...new Set([...rules.flatMap(({ leaseId }) => leaseId ?? []), ...leaseOfUnit.values()])]);
  return rules.flatMap((rule) => {
    const charged = new Set(rule.chargedPeriods);
    const lease = leases.get(rule.leaseId ?? leaseOfUnit.get(rule.unitId ?? "") ?? "");
    return duePeriods(rule, throughDate, policies.prorationMethod)
      .filter(({ periodStart }) => !charged.has(periodStart))
      .map((period) => ({ rule, period, lease }));
  });
}

/** A rule of a unit charges whoever's lease is active there today. */
async function currentLeases(db: OrgDb, clients: Clients, unitIds: string[]): Promise<Map<string, string>> {
  if (unitIds.length === 0) return new Map();
  const { units } = await clients.portfolio.getUnits(db, { ids: [...new Set(unitIds)] });
  return new Map(units.flatMap(({ id, currentLeaseId }) => (currentLeaseId ? [[id, currentLeaseId]] : [])));
}

async function postChunk(tx: OrgTx, rules: BookRules, chart: Chart, due: readonly Due[]): Promise<PostingLine[]> {
  const isCurrent = await lockRules(tx, due);
  const chargeable = due.filter((each): each is Due & { lease: LeaseFacts } => each.lease !== undefined && isCurrent(each));
  const charged = await chargeLeases(tx, rules, chart, chargeable.map(newCharge));
  const idOf = new Map(charged.map((charge) => [`${charge.recurringChargeRuleId} ${charge.periodStart}`, charge.id]));
  return due.map((each) => {
    const chargeId = idOf.get(`${each.rule.id} ${each.period.periodStart}`) ?? null;
    return line(each, chargeId, !each.lease ? vacant : !isCurrent(each) ? changed : chargeId ? null : already);
  });
}

/** What is due was worked out before: a rule that was paused or ended since then charges nothing by it. */
async function lockRules(tx: OrgTx, due: readonly Due[]): Promise<(each: Due) => boolean> {
  const ids = [...new Set(due.map(({ rule }) => rule.id))];
  const rows = await tx.all(sql<{ id: string; version: number }>`select id, version from recurring_charge_rule
    where organization_id = ${tx.organizationId} and id = any(${ids}::uuid[]) order by id for update`);
  const versions = new Map(rows.map(({ id, version }) => [id, version]));
  return ({ rule }) => versions.get(rule.id) === rule.version;
}

const newCharge = ({ rule, period, lease }: Due & { lease: LeaseFacts }): NewCharge => ({
  lease,
  amountCents: period.amountCents,
  dueDate: period.dueDate,
  chargeType: rule.kind,
  categoryId: rule.categoryId,
  name: rule.label,
  rule: { id: rule.id, periodStart: period.periodStart, periodEnd: period.periodEnd },
});
