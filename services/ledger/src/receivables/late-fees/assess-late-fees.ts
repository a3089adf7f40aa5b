/** Assessment of late fees on unpaid rent. Each day of a charge is assessed once, however often this runs. */
import { truncate } from "@freehold/kit/truncate";
import type { charges } from "@freehold/contract/ledger/charges";
import type { BodyOf, Output } from "@freehold/contract/operation";
import { today } from "@freehold/kit/time/clock";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { scheduleNow } from "@freehold/kit/jobs/scheduler";
import { runBatches } from "@freehold/kit/jobs/batches";
import { transaction } from "@freehold/kit/db/transaction";
import { invalid } from "@freehold/kit/errors";
import { getChart, type Chart } from "../../chart/categories.ts";
import type { Clients } from "../../clients.ts";
import { findProjectedLeases, type ProjectedLease } from "../../projections/projections.ts";
import { getLedgerSettings, type LedgerSettings } from "../../settings/ledger-settings.ts";
import { chargeEvents } from "../charges/charge-event.ts";
import type { ChargeRow } from "../charges/charge.view.ts";
import { postUnsettledCharges, settleFromCredit, type NewCharge } from "../charges/post-charges.ts";
import { carryWaivers } from "./carry-waivers.ts";
import { findChargesDueForAssessment, readChargesToAssess, saveNextAssessments, type ChargeToAssess } from "./late-fee.queries.ts";
import { assessCharge, type Assessment, type LateFee } from "./late-fee.rules.ts";

type Operation = typeof charges.operations.assessLateFees;
type Result = Output<Operation>["assessment"];
type Line = Result["lines"][number];
const publish = eventPublisher("ledger");

/** Charges per transaction: large enough for throughput, small enough to hold locks briefly. */
const BATCH_SIZE = 50;

interface Context {
  settings: LedgerSettings;
  chart: Chart;
  leases: Map<string, ProjectedLease>;
  asOf: string;
}

/**
 * Assesses the late fees of rent that is unpaid through a date, and reports each. With `dryRun` nothing is posted. With
 * `excludesBackdatedRent`, rent that was posted after the day of its late fee is left out.
 */
export async function assessLateFees(
  db: OrgDb,
  clients: Clients,
  { asOf: requested, dryRun }: BodyOf<Operation>,
  excludesBackdatedRent = false,
): Promise<{ assessment: Result }> {
  const settings = await getLedgerSettings(db);
  const day = today(settings.timezone);
  const asOf = requested ?? day;
  if (asOf > day) throw invalid([{ path: "asOf", code: "max", message: `asOf can be at most today, ${day}.` }]);
  const due = await findChargesDueForAssessment(db, { timezone: settings.timezone, through: asOf, excludesBackdatedRent });
  const ids = due.map(({ id }) => id);
  const leases = await findProjectedLeases(db, clients.portfolio, [...new Set(due.map(({ leaseId }) => leaseId))]);
  const context = { settings, chart: await getChart(db), leases, asOf };
  const run = (tx: OrgTx, batch: readonly string[]) => assessBatch(tx, context, batch);
  if (dryRun) return transaction(db, async (tx) => ({ assessment: resultOf(asOf, await proposeFees(tx, context, ids)) }));
  // The response is stored with the idempotency key in the same transaction, so all fees commit together.
  if (db.request.idempotency) return transaction(db, async (tx) => ({ assessment: resultOf(asOf, await run(tx, ids)) }));
  const lines = await runBatches(ids, { size: BATCH_SIZE }, (batch) => transaction(db, (tx) => run(tx, batch)));
  return { assessment: resultOf(asOf, lines) };
}

const proposeFees = async (tx: OrgTx, context: Context, ids: readonly string[]): Promise<Line[]> =>
  (await assess(tx, context, ids, false)).flatMap(({ charge, fees }) => fees.map((fee) => lineOf(charge, fee, null)));

const resultOf = (asOf: string, lines: Line[]): Result => ({
  asOf,
  created: lines.filter(({ lateFeeChargeId }) => lateFeeChargeId !== null).length,
  skipped: lines.filter(({ reason }) => reason !== null).length,
  lines,
});

const lineOf = ({ id, leaseId, terms }: ChargeToAssess, { dayIndex, date, amountCents, reason }: LateFee, lateFeeChargeId: string | null): Line => ({
  chargeId: id,
  leaseId,
  kind: terms.type as Line["kind"],
  dayIndex,
  date,
  amountCents: amountCents as Line["amountCents"],
  lateFeeChargeId,
  reason,
});

type AssessedCharge = Assessment & { charge: ChargeToAssess };

/** Assesses charges of tenants who were not deleted. */
async function assess(db: StatementRunner, { leases, asOf }: Context, ids: readonly string[], isLocking: boolean): Promise<AssessedCharge[]> {
  const toAssess = await readChargesToAssess(db, ids, { through: asOf, isLocking });
  return toAssess.filter(({ leaseId }) => leases.get(leaseId)?.isTenantDeleted === false).map((charge) => ({ charge, ...assessCharge(charge, asOf) }));
}

async function assessBatch(tx: OrgTx, context: Context, ids: readonly string[]): Promise<Line[]> {
  const assessed = await assess(tx, context, ids, true);
  // Charges that were assessed or got another due date before the lock are not among the assessed ones, and keep their next day.
  await saveNextAssessments(
    tx,
    assessed.map(({ charge, nextDay }) => ({ id: charge.id, day: nextDay })),
  );
  const fees = assessed.flatMap(({ charge, fees }) => fees.map((fee) => ({ charge, fee })));
  // A charge that is assessed again was reopened, as by the return of a payment, so its percent fee may have another amount.
  if (fees.some(({ charge, fee }) => charge.terms.type === "percent" && fee.reason === "already_assessed")) await scheduleNow(tx, "reviewLateFees");
  const feesToPost = fees.filter(({ fee }) => fee.amountCents > 0);
  const posted = await postLateFees(
    tx,
    context,
    feesToPost.map(({ charge, fee }) => ({ charge, fee, lease: context.leases.get(charge.leaseId)! })),
  );
  await settleFromCredit(tx, context.settings, context.chart, posted);
  const postedIds = new Map(feesToPost.map(({ fee }, index) => [fee, posted[index]!.id]));
  return fees.map(({ charge, fee }) => lineOf(charge, fee, postedIds.get(fee) ?? null));
}

/** Late fee to post on a lease, and the charge that it is for. */
export interface LateFeeToPost {
  charge: ChargeToAssess;
  fee: LateFee;
  lease: ProjectedLease;
}

/** Posts late fees of charges, less the waivers of superseded fees for the same days, and publishes them. Returns the inserted rows in input order. */
export async function postLateFees(tx: OrgTx, { settings, chart }: Pick<Context, "settings" | "chart">, fees: readonly LateFeeToPost[]): Promise<ChargeRow[]> {
  const posted = await postUnsettledCharges(
    tx,
    settings,
    chart,
    fees.map(({ charge, fee, lease }) => newLateFee(charge, fee, lease)),
  );
  const events = await chargeEvents(tx, posted, (fee) => ({ dueDate: fee.dueDate, lateFeeForChargeId: fee.lateFeeForChargeId! }));
  await publish(tx, "charge.late_fee_assessed", ...events);
  await carryWaivers(
    tx,
    settings.timezone,
    chart,
    posted.map(({ id }) => id),
  );
  return posted;
}

const newLateFee = (charge: ChargeToAssess, { amountCents, date, dayIndex }: LateFee, lease: ProjectedLease): NewCharge => ({
  lease,
  amountCents,
  dueDate: date,
  chargeType: "late_fee",
  name: truncate(`Late fee: ${charge.name}, due ${charge.dueDate}`, 160),
  lateFee: { chargeId: charge.id, kind: charge.terms.type, dayIndex, assessedFor: date },
});
