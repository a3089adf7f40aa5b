/**
 * Overdue charges that another transaction has locked while the job announces others: they are announced once they are unlocked, not
 * on the next day. The test clears the announcement of a charge, as if the charge had become overdue at midnight.
 */
import { expect, test } from "@jest/globals";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { waitForIdleJobs } from "../../../../../test/support/jobs.ts";
import { aCharge, aTenancy } from "../../../../../test/support/tenancy.ts";
import { eventually } from "../../../../../test/support/eventually.ts";
import { waitForDailyJobs, withOwnerConnection } from "../../../test/ledger.fixtures.ts";
import { withLockedRow } from "../../../test/lock-waiters.fixtures.ts";

const isAnnounced = (office: Office, id: string): Promise<boolean> =>
  withOwnerConnection(office, async (owner) => {
    const { rows } = await owner.query<{ announced: boolean }>("select overdue_announced_at is not null as announced from charge where id = $1", [id]);
    return rows[0]!.announced;
  });

test("a charge that was locked while the job announced others is announced after its release", async () => {
  const office = await anOffice();
  await waitForDailyJobs(office);
  const { leaseId } = await aTenancy(office);
  const waitUntilAnnounced = (id: string) => eventually("announcement", () => isAnnounced(office, id));
  const locked = await aCharge(office, leaseId, 100);
  await waitUntilAnnounced(locked);
  await waitForIdleJobs("ledger", office);
  await withOwnerConnection(office, (owner) => owner.query("update charge set overdue_announced_at = null where id = $1", [locked]));
  await withLockedRow(office, "charge", locked, async () => {
    await waitUntilAnnounced(await aCharge(office, leaseId, 200));
    expect(await isAnnounced(office, locked)).toBe(false);
  });
  await waitUntilAnnounced(locked);
});
