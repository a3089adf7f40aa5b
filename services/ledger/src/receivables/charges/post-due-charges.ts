/** Posting of recurring charges that are due. Each month of a recurring charge is posted once, however often this runs. */
import type { charges } from "@freehold/contract/ledger/charges";
import type { BodyOf, Output } from "@freehold/contract/operation";
import { today } from "@freehold/kit/time/clock";
import { addDays, addMonths } from "@freehold/kit/time/plain-date";
import { runBatches } from "@freehold/kit/jobs/batches";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { invalid } from "@freehold/kit/errors";
import { sql } from "@freehold/kit/db/statement";
import type { UnitLease } from "@freehold/proto/portfolio/v1/portfolio";
import { getLedgerSettings, type LedgerSettings } from "../../settings/ledger-settings.ts";
import { getChart, type Chart } from "../../chart/categories.ts";
import type { Clients } from "../../clients.ts";
import { requireProperty } from "../../require-property.ts";
import { findProjectedLeases, type ProjectedLease } from "../../projections/projections.ts";
import { duePeriods, isAfterUpcomingLeaseEnd, type DuePeriod, type RuleTerms } from "../recurring-charges/recurring-charge.rules.ts";
import { findMonthsOfContinuedFees } from "../recurring-charges/continued-fees.queries.ts";
import { postCharges, type NewCharge } from "./post-charges.ts";
import { findVoidedUnitCharges } from "./voided-unit-charges.ts";

type Operation = typeof charges.operations.postDueCharges;
type Posting = Output<Operation>["posting"];
type PostingLine = Posting["lines"][number];

/** Charges per transaction, or more when a tenant has more: large enough for throughput, small enough to hold locks briefly. */
const BATCH_SIZE = 100;
/** Number of batches that are posted at the same time. */
const LANES = 2;

type ActiveRule = RuleTerms & {
  id: string;
  version: number;
  leaseId: string | null;
  unitId: string | null;
  categoryId: string;
  kind: "rent" | "fee";
  label: string;
};

/** Due period of a recurring charge. A rule on a unit charges the lease that occupies the unit on the due date, or none while the unit is vacant. */
interface DueCharge {
  rule: ActiveRule;
  period: DuePeriod;
  lease: ProjectedLease | undefined;
}

/** Posts the recurring charges due through a date and reports each. With `dryRun` nothing is posted. */
export async function postDueCharges(db: OrgDb, clients: Clients, body: BodyOf<Operation>): Promise<{ posting: Posting }> {
  const settings = await getLedgerSettings(db);
  const day = today(settings.timezone);
  const throughDate = body.throughDate ?? addDays(day, settings.policies.postDaysInAdvance);
  if (throughDate > addMonths(day, 12)) throw invalid([{ path: "throughDate", code: "max", message: "throughDate can be at most a year ahead." }]);
  await requireProperty(db, clients, body.propertyId);
  const due = await findDueCharges(db, clients, settings, throughDate, body.propertyId);
  const chart = await getChart(db);
  const post = (tx: OrgTx, batch: readonly DueCharge[]): Promise<PostingLine[]> =>
    body.dryRun ? Promise.resolve(previewLines(batch)) : postBatch(tx, settings, chart, batch);
  // The response is stored with the idempotency key, so all charges must commit together.
  if (db.request.idempotency) return transaction(db, async (tx) => ({ posting: postingView(throughDate, await post(tx, due)) }));
  if (body.dryRun) return { posting: postingView(throughDate, previewLines(due)) };
  const batches = groupByTenant(due);
  const lines = await runBatches(batches, { size: 1, lanes: LANES }, ([batch]) => transaction(db, (tx) => post(tx, batch!)));
  const lineOf = new Map(batches.flat().map((charge, index) => [charge, lines[index]!]));
  return {
    posting: postingView(
      throughDate,
      due.map((charge) => lineOf.get(charge)!),
    ),
  };
}

/** Groups due charges into batches. All of a tenant are in one batch, so that credit is applied to the oldest first. */
function groupByTenant(due: readonly DueCharge[]): DueCharge[][] {
  const batches: DueCharge[][] = [];
  for (const group of Map.groupBy(due, ({ lease }) => lease?.tenantId).values()) {
    const last = batches.at(-1);
    if (last && last.length + group.length <= BATCH_SIZE) last.push(...group);
    else batches.push(group);
  }
  return batches;
}

const REASON_VACANT = "vacant";
const REASON_ALREADY_POSTED = "already_posted";
export const REASON_RULE_CHANGED = "rule_changed";

const postingView = (throughDate: string, lines: PostingLine[]): Posting => {
  const created = lines.filter(({ chargeId, reason }) => chargeId !== null && reason === null).length;
  return { throughDate, created, skipped: lines.filter(({ reason }) => reason !== null).length, lines };
};

/** Returns the lines of charges that are not posted. */
const previewLines = (due: readonly DueCharge[]): PostingLine[] => due.map((charge) => postingLine(charge, null, charge.lease ? null : REASON_VACANT));

const postingLine = ({ rule, period, lease }: DueCharge, chargeId: string | null, reason: string | null): PostingLine => ({
  ruleId: rule.id,
  label: rule.label,
  leaseId: lease?.id ?? null,
  tenantId: lease?.tenantId ?? null,
  unitId: lease?.unitId ?? rule.unitId,
  periodStart: period.periodStart,
  dueDate: period.dueDate,
  amountCents: period.amountCents as PostingLine["amountCents"],
  chargeId,
  reason,
});

/** Returns the uncharged periods due through a date, of one property or of all. Calls portfolio for the leases of recurring charges on units. */
export async function findDueCharges(
  db: OrgDb,
  clients: Clients,
  { policies, timezone }: LedgerSettings,
  throughDate: string,
  propertyId?: string,
): Promise<DueCharge[]> {
  const rules = await db.all(sql<ActiveRule & { continuesRuleId: string | null; chargedPeriods: string[] | null }>`
    select r.id, r.version, r.lease_id, r.unit_id, r.continues_rule_id, r.category_id, r.kind, r.label, r.amount_cents, r.day_of_month, r.start_date, r.end_date, r.post_from, r.is_lease_rent or r.is_rent_part as is_lease_rent, r.prorates_first_month,
      (select array_agg(c.period_start::text) from charge c where c.organization_id = r.organization_id and c.recurring_charge_rule_id = r.id and not c.is_superseded) as charged_periods
    from recurring_charge_rule r where r.organization_id = ${db.organizationId} and r.status = 'active' and r.start_date <= ${throughDate}
      and (${propertyId ?? null}::uuid is null or r.property_id = ${propertyId ?? null}::uuid) order by r.id`);
  const leasesByUnit = await findUnitLeases(
    db,
    clients,
    rules.flatMap(({ unitId }) => unitId ?? []),
  );
  const unitLeaseIds = [...leasesByUnit.values()].flat().map(({ leaseId }) => leaseId);
  const leases = await findProjectedLeases(db, clients.portfolio, [...new Set([...rules.flatMap(({ leaseId }) => leaseId ?? []), ...unitLeaseIds])]);
  const voidedUnitCharges = await findVoidedUnitCharges(
    db,
    rules.flatMap(({ id, leaseId }) => (leaseId ? [] : [id])),
  );
  const monthsOfContinuedFees = await findMonthsOfContinuedFees(
    db,
    rules.flatMap(({ id, continuesRuleId }) => (continuesRuleId ? [id] : [])),
  );
  return rules.flatMap((rule) => {
    const ownPeriods = rule.chargedPeriods?.filter((periodStart) => !voidedUnitCharges.has(`${rule.id} ${periodStart}`)) ?? [];
    const chargedPeriods = new Set([...ownPeriods, ...(monthsOfContinuedFees.get(rule.id) ?? [])]);
    const leaseOn = (dueDate: string) => leases.get(rule.leaseId ?? leaseIdOn(leasesByUnit.get(rule.unitId ?? "") ?? [], dueDate) ?? "");
    const isUncharged = ({ periodStart, dueDate }: DuePeriod) => {
      const [voided, lease] = [voidedUnitCharges.get(`${rule.id} ${periodStart}`), leaseOn(dueDate)];
      return !voided || (lease !== undefined && !voided.leaseIds.includes(lease.id));
    };
    return duePeriods(rule, throughDate, policies.prorationMethod, chargedPeriods)
      .filter(isUncharged)
      .flatMap((period): DueCharge[] => {
        const lease = leaseOn(period.dueDate);
        if (!lease || rule.isLeaseRent || !isAfterUpcomingLeaseEnd(period.dueDate, lease.endDate, today(timezone))) return [{ rule, period, lease }];
        return rule.leaseId === null ? [{ rule, period, lease: undefined }] : [];
      });
  });
}

/** Returns the leases of each unit that have begun, latest start first. */
async function findUnitLeases(db: OrgDb, clients: Clients, unitIds: string[]): Promise<Map<string, UnitLease[]>> {
  if (unitIds.length === 0) return new Map();
  const { units } = await clients.portfolio.getUnits(db, { ids: [...new Set(unitIds)] });
  return new Map(units.map(({ id, leases }) => [id, leases]));
}

/** Returns the id of the lease that occupies a unit on a day. Recurring charges on the unit charge this lease. */
const leaseIdOn = (leases: readonly UnitLease[], day: string): string | undefined =>
  leases.find(({ startDate, lastDay }) => startDate <= day && (lastDay === undefined || day <= lastDay))?.leaseId;

async function postBatch(tx: OrgTx, settings: LedgerSettings, chart: Chart, batch: readonly DueCharge[]): Promise<PostingLine[]> {
  const isUnchanged = await lockRules(tx, batch);
  const postable = batch.filter((charge): charge is DueCharge & { lease: ProjectedLease } => charge.lease !== undefined && isUnchanged(charge));
  const posted = await postCharges(tx, settings, chart, postable.map(newCharge));
  const chargeIdByPeriod = new Map(posted.map((charge) => [`${charge.recurringChargeRuleId} ${charge.periodStart}`, charge.id]));
  return batch.map((charge) => {
    const chargeId = chargeIdByPeriod.get(`${charge.rule.id} ${charge.period.periodStart}`) ?? null;
    const reason = !charge.lease ? REASON_VACANT : !isUnchanged(charge) ? REASON_RULE_CHANGED : chargeId ? null : REASON_ALREADY_POSTED;
    return postingLine(charge, chargeId, reason);
  });
}

/**
 * Locks the recurring charges and returns a check of their versions: due periods of a rule that was paused or ended since they
 * were computed are not posted.
 */
async function lockRules(tx: OrgTx, batch: readonly DueCharge[]): Promise<(charge: DueCharge) => boolean> {
  const ids = [...new Set(batch.map(({ rule }) => rule.id))];
  const rows = await tx.all(sql<{ id: string; version: number }>`select id, version from recurring_charge_rule
    where organization_id = ${tx.organizationId} and id = any(${ids}::uuid[]) order by id for update`);
  const versions = new Map(rows.map(({ id, version }) => [id, version]));
  return ({ rule }) => versions.get(rule.id) === rule.version;
}

const newCharge = ({ rule, period, lease }: DueCharge & { lease: ProjectedLease }): NewCharge => ({
  lease,
  amountCents: period.amountCents,
  dueDate: period.dueDate,
  chargeType: rule.kind,
  categoryId: rule.categoryId,
  name: rule.label,
  rule: { id: rule.id, periodStart: period.periodStart, periodEnd: period.periodEnd },
});
