/** Closed accounting periods for tests. */
import type { AccountingPeriod } from "@freehold/contract/ledger/accounting-periods";
import type { Colleague } from "../../../../test/support/office.ts";

/** Returns the period of a month, `YYYY-MM`. */
export async function periodOf(office: Colleague, month: string): Promise<AccountingPeriod> {
  const { periods } = await office.call("listAccountingPeriods", { query: { year: month.slice(0, 4) } });
  return periods.find(({ startDate }) => startDate === `${month}-01`)!;
}

/** Closes the period of a month, whatever its checklist finds. */
export async function closeMonth(office: Colleague, month: string): Promise<AccountingPeriod> {
  const { id } = await periodOf(office, month);
  return (await office.call("closeAccountingPeriod", { params: { id }, body: { force: true } })).period;
}
