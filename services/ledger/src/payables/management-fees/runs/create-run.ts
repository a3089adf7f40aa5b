/** Run that charges management fees. */
import type { managementFees } from "@freehold/contract/payables/management-fees";
import type { BodyOf, Output } from "@freehold/contract/operation";
import { allWithCustomPlan, type OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { sql } from "@freehold/kit/db/statement";
import { transaction } from "@freehold/kit/db/transaction";
import { conflict, invalid } from "@freehold/kit/errors";
import { today } from "@freehold/kit/time/clock";
import { endOfMonth, minDate } from "@freehold/kit/time/plain-date";
import { getChart } from "../../../chart/categories.ts";
import type { Clients } from "../../../clients.ts";
import { requireOpenPeriod } from "../../../periods/require-open-period.ts";
import { getLedgerSettings } from "../../../settings/ledger-settings.ts";
import { hasCompletedRun, selectCollected } from "../calculation/base.queries.ts";
import { computeFees, findSubject, ownershipChangesOf } from "../calculation/compute-fees.ts";
import { withOwners } from "../calculation/fee-lines.rules.ts";
import type { Period } from "../calculation/segments.rules.ts";
import { lockFeesOfProperties } from "../lock-fees.ts";
import { collectFees, lockTrustAccount, resolveTrustAccountId } from "./collect-fees.ts";
import { postFees, postOffsets } from "./post-fees.ts";
import { getRun } from "./runs.ts";
import { saveRun } from "./save-run.ts";

type Operation = typeof managementFees.operations.createManagementFeeRun;
const publish = eventPublisher("ledger");

/** Largest number of properties whose payments are found one by one. The payments of more are found by reading those of the organization. */
const MAX_PROPERTIES_FOR_NESTED_LOOPS = 100;

/**
 * Charges the management fees of a period: all of them or none. Throws a 400 for unknown references and for a period beyond the current
 * month, and a 409 when a property was charged for a part of the period, when no property has an agreement in it, and for a day in a closed
 * accounting period.
 */
export async function createRun(db: OrgDb, clients: Clients, body: BodyOf<Operation>): Promise<Output<Operation>> {
  const trustAccountId = await resolveTrustAccountId(db, body.bankAccountId);
  const subject = await findSubject(db, clients, body);
  if (subject.propertyIds.length === 0)
    throw conflict("No property has a management fee agreement in the period. Create one first, or choose another period.", "invalid_transition");
  return transaction(db, async (tx) => {
    const [settings, chart] = [await getLedgerSettings(tx), await getChart(tx)];
    const incurredOn = minDate(body.periodEnd, today(settings.timezone));
    requireBegun(body, today(settings.timezone));
    await requireOpenPeriod(tx, incurredOn, undefined);
    const paymentIds = await lockPayments(tx, subject.propertyIds, body);
    await lockFeesOfProperties(tx, subject.propertyIds);
    // A payment that was recorded after the locks counts in the next run, so that its reversal cannot miss its fee.
    const computed = await computeFees(tx, body, subject, { paymentIds });
    const ownershipChanges = ownershipChangesOf(subject.owned);
    const lines = computed.map((line) => withOwners(line, ownershipChanges.get(line.propertyId) ?? [], incurredOn, body));
    const account = trustAccountId === null ? null : await lockTrustAccount(tx, trustAccountId);
    const context = { timezone: settings.timezone, chart, incurredOn, period: body, ownershipChanges };
    const posted = await postFees(tx, lines, context);
    const collection = account
      ? await collectFees(tx, settings, chart, account, { ...posted, owned: subject.owned }, body)
      : { expensePaymentId: null, collectedCents: 0 };
    const id = await saveRun(tx, body, { lines, posted, collection, bankAccountId: trustAccountId });
    await postOffsets(tx, context, id, posted);
    await publish(tx, "management_fee.run_completed", { entityId: id, data: { periodStart: body.periodStart, periodEnd: body.periodEnd } });
    return { run: await getRun(tx, id) };
  });
}

/** Throws a 400 for a period beyond the current month: a fee is not earned, and its money not collected, before its month. */
function requireBegun({ periodEnd }: Period, day: string): void {
  const lastDay = endOfMonth(day);
  if (periodEnd <= lastDay) return;
  const message = `Fees are charged for months that have begun. Set periodEnd to ${lastDay} or an earlier day.`;
  throw invalid([{ path: "periodEnd", code: "not_allowed", message }]);
}

/** Locks the payments whose money counts, so that they are not reversed before the commit, and returns their ids. They are locked before all else. */
async function lockPayments(tx: OrgTx, propertyIds: readonly string[], period: Period): Promise<string[]> {
  const counted = { ...period, hasRuns: await hasCompletedRun(tx, period) };
  // Found before they are locked: processes of the database share only the work of a statement that locks nothing.
  const found = await allWithCustomPlan(tx, sql<{ id: string }>`select distinct payment_id as id from (${selectCollected(tx, propertyIds, counted)}) item`, {
    allowsNestedLoops: propertyIds.length <= MAX_PROPERTIES_FOR_NESTED_LOOPS,
  });
  const ids = found.map(({ id }) => id);
  await tx.all(sql`select id from payment where organization_id = ${tx.organizationId} and id = any(${ids}::uuid[]) order by id for share`);
  return ids;
}
