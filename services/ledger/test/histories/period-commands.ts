/** Commands of random histories on accounting periods. Histories share an organization, so each one ends by reopening the months that it closed. */
import { expect } from "@jest/globals";
import { periodOf } from "../../src/periods/periods.fixtures.ts";
import { attemptExpecting, firstOpenDay, DAY_AFTER_LAST_DATE, type Environment, type Outcome, type PeriodContext } from "./command-context.ts";
import { fingerprintThrough } from "../invariants.queries.ts";

/** Closes the first open months, for good or softly, or attempts to close a month that is closed or comes too early. */
export const closePeriod = async (context: PeriodContext): Promise<Outcome | undefined> => {
  const { closedMonths, random } = context;
  const last = closedMonths.at(-1);
  const isSoft = last?.isSoft ?? random.chance(0.3);
  if (random.chance(0.1)) {
    // The month of the earliest postings closes first, and a closed month is not closed again.
    await attemptClose(context, last?.endDate.slice(0, 7) ?? "2026-03", isSoft, false);
    return "refused";
  }
  const months = random.integer(4);
  let isClosed = false;
  for (let count = 0; count < months && firstOpenDay(closedMonths) < DAY_AFTER_LAST_DATE; count++) {
    await attemptClose(context, firstOpenDay(closedMonths).slice(0, 7), isSoft, true);
    isClosed = true;
  }
  return isClosed ? "accepted" : undefined;
};

/** Closes a month, `YYYY-MM`, or expects the close to be refused. */
async function attemptClose(context: PeriodContext, month: string, isSoft: boolean, isAllowed: boolean): Promise<void> {
  const { office, database, closedMonths } = context;
  const { id, endDate } = await periodOf(office, month);
  const operation = isSoft ? "softCloseAccountingPeriod" : "closeAccountingPeriod";
  await attemptExpecting(context, isAllowed, () => office.attempt(operation, { params: { id }, body: { force: true } }));
  if (isAllowed) closedMonths.push({ id, endDate, isSoft, fingerprint: await fingerprintThrough(database, endDate) });
}

/** Reopens the last closed month, or attempts to reopen an earlier one. */
export const reopenPeriod = async (context: PeriodContext): Promise<Outcome | undefined> => {
  const { office, closedMonths, random } = context;
  const last = closedMonths.at(-1);
  if (!last) return undefined;
  const earlier = random.chance(0.3) ? random.pick(closedMonths.slice(0, -1)) : undefined;
  if (earlier) {
    const body = { reason: "too early" };
    await attemptExpecting(context, false, () => office.attempt("reopenAccountingPeriod", { params: { id: earlier.id }, body }));
    return "refused";
  }
  await reopenLast(context);
  return "accepted";
};

/** Reopens the last closed month, in and before which nothing may have changed since its close. */
async function reopenLast({ office, database, closedMonths }: Environment): Promise<void> {
  const { id, endDate, fingerprint } = closedMonths.pop()!;
  expect([endDate, await fingerprintThrough(database, endDate)]).toEqual([endDate, fingerprint]);
  await office.call("reopenAccountingPeriod", { params: { id }, body: { reason: "a late posting" } });
}

/** Reopens all closed months, from the last to the first. */
export async function reopenAll(environment: Environment): Promise<void> {
  while (environment.closedMonths.length > 0) await reopenLast(environment);
}
