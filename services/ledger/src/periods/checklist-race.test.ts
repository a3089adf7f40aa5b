/** Closes without `force`, while an item that fails the checklist is recorded. */
import { expect, test } from "@jest/globals";
import { anOffice, type Office } from "../../../../test/support/office.ts";
import { eventually } from "../../../../test/support/eventually.ts";
import { waitForDailyJobs, withOwnerConnection } from "../../test/ledger.fixtures.ts";
import { accountIdsByCode, createEntry } from "../journal/journal.fixtures.ts";
import { periodOf } from "./periods.fixtures.ts";

async function anOfficeToClose() {
  const office = await anOffice();
  await waitForDailyJobs(office);
  const { id } = await periodOf(office, "2026-01");
  const accounts = await accountIdsByCode(office);
  const draft = () =>
    createEntry(
      office,
      accounts,
      [
        ["1000", 1],
        ["3100", -1],
      ],
      { occurredAt: "2026-01-10T15:00:00Z", status: "draft" },
    );
  return { office, draft, close: () => office.attempt("closeAccountingPeriod", { params: { id }, body: {} }) };
}

/** Runs the work while a posting is uncommitted, so that a close waits for it. */
const duringPosting = ({ organizationId, ...office }: Office, work: (waitForClose: () => Promise<unknown>) => Promise<void>) =>
  withOwnerConnection({ organizationId, ...office } as Office, async (owner) => {
    await owner.query("begin");
    await owner.query("select pg_advisory_xact_lock_shared(period_lock_key($1))", [organizationId]);
    await work(() =>
      eventually("close that waits for the posting", async () => {
        const { rowCount } = await owner.query(
          "select from pg_locks where locktype = 'advisory' and not granted and (classid::bigint << 32 | objid::bigint) = period_lock_key($1)",
          [organizationId],
        );
        return rowCount! > 0;
      }),
    );
    await owner.query("commit");
  });

test("control: a month without open items is closed, and one with a draft is not", async () => {
  const [clean, drafted] = [await anOfficeToClose(), await anOfficeToClose()];
  await drafted.draft();
  expect([(await clean.close()).status, (await drafted.close()).status]).toEqual([200, 409]);
});

test("a month to which a draft was added before its close is not closed without force", async () => {
  const { office, draft, close } = await anOfficeToClose();
  let response: ReturnType<typeof close> | undefined;
  await duringPosting(office, async (waitForClose) => {
    response = close();
    await waitForClose();
    await draft();
  });
  expect((await response!).status).toBe(409);
});
