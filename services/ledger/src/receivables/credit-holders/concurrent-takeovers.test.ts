/** Takeover of the money of a lease by its renewal: posted once, though a request and an event of portfolio often start it at the same time. */
import { expect, test } from "@jest/globals";
import { openDatabase } from "@freehold/kit/db/database";
import { OrgDb } from "@freehold/kit/db/org-db";
import { anOffice } from "../../../../../test/support/office.ts";
import { running } from "../../../../../test/support/running.ts";
import { aPayment, aTenancy } from "../../../../../test/support/tenancy.ts";
import { withLockedRow } from "../../../test/lock-waiters.fixtures.ts";
import { withOwnerConnection } from "../../../test/ledger.fixtures.ts";
import { getChart } from "../../chart/categories.ts";
import { database } from "../../database.ts";
import { takeOverMoney } from "./renewal-takeover.ts";

/** Runs the work with a lease that has a credit of 300, and a function that runs the takeover by its drafted renewal, as the service does. */
async function withRenewal(work: (renewal: Awaited<ReturnType<typeof aRenewal>>) => Promise<void>): Promise<void> {
  const ledger = await openDatabase(database, running().databaseUrls.ledger.service, 4);
  try {
    await work(await aRenewal(ledger));
  } finally {
    await ledger.close();
  }
}

async function aRenewal(ledger: Awaited<ReturnType<typeof openDatabase>>) {
  const office = await anOffice();
  const { tenantId, leaseId } = await aTenancy(office);
  const { payment } = await office.call("recordPayment", { body: aPayment({ tenantId, leaseId }, 300) });
  const body = { startDate: "2100-01-01", endDate: "2101-12-31", termType: "fixed" as const };
  const { lease } = await office.call("renewLease", { params: { id: leaseId }, body });
  const { organizationId, userId } = office;
  const db = new OrgDb(ledger, { organizationId, userId, role: "admin", subjectId: null, timezone: "America/New_York" });
  const chart = await getChart(db);
  return {
    office,
    paymentId: payment.id,
    takeOver: () => takeOverMoney(db, "America/New_York", chart, { id: lease.id, startDate: "2026-06-01", renewedFromLeaseId: leaseId }),
    /** Returns the number of leases on the lines of each entry of the takeover. */
    entries: () =>
      withOwnerConnection(office, async (owner) => {
        const { rows } = await owner.query<{ leases: number }>(
          `select count(distinct l.lease_id)::int as leases from journal_entry e join journal_line l on l.entry_id = e.id where e.memo = 'Taken over by the renewal' group by e.id`,
        );
        return rows;
      }),
  };
}

test("control: a takeover that is repeated after the first one is posted once", () =>
  withRenewal(async ({ takeOver, entries }) => {
    await takeOver();
    await takeOver();
    expect(await entries()).toEqual([{ leases: 2 }]);
  }));

test("a takeover that is requested twice at once is posted once", () =>
  withRenewal(async ({ office, paymentId, takeOver, entries }) => {
    await withLockedRow(office, "payment", paymentId, async (row) => {
      const both = [takeOver(), takeOver()];
      await row.waitForWaiters(2);
      await row.release();
      await Promise.all(both);
    });
    expect(await entries()).toEqual([{ leases: 2 }]);
  }));
