/** Reversal of a payment that waits until a renewal has taken over the payment's credit and part of the credit is refunded. */
import { expect, test } from "@jest/globals";
import { openDatabase } from "@freehold/kit/db/database";
import { OrgDb } from "@freehold/kit/db/org-db";
import type { Attempt } from "../../../../../test/support/client.ts";
import { anOffice } from "../../../../../test/support/office.ts";
import { running } from "../../../../../test/support/running.ts";
import { aPayment, aTenancy } from "../../../../../test/support/tenancy.ts";
import { eventually } from "../../../../../test/support/eventually.ts";
import { withOwnerConnection } from "../../../test/ledger.fixtures.ts";
import { withLockedRow } from "../../../test/lock-waiters.fixtures.ts";
import { accountIdsByCode } from "../../journal/journal.fixtures.ts";
import { getChart } from "../../chart/categories.ts";
import { database } from "../../database.ts";
import { takeOverMoney } from "./renewal-takeover.ts";

/** Runs the takeover of a credit of 300, a refund of 50 and the reversal of the payment, in sequence or concurrently. Returns the reversal. */
async function reverseRefunded(isConcurrent: boolean): Promise<Attempt<"reversePayment">> {
  const office = await anOffice();
  const { propertyId, unitId } = await aTenancy(office, { startDate: "2024-01-01", endDate: "2024-01-31" });
  const { tenant } = await office.call("createTenant", { body: { fullName: "Ann Tenant" } });
  const leaseTerms = { propertyId, unitId, tenantId: tenant.id, rentCents: 100_000, createRecurringRent: false, startDate: "2026-01-01" };
  const { lease } = await office.call("createLease", { body: { ...leaseTerms, termType: "month_to_month", activate: true } });
  const tenancy = { tenantId: tenant.id, leaseId: lease.id };
  const { payment } = await office.call("recordPayment", { body: aPayment(tenancy, 300) });
  const terms = { startDate: "2026-06-01", endDate: "2099-12-31", termType: "fixed" as const };
  const { lease: renewal } = await office.call("renewLease", { params: { id: tenancy.leaseId }, body: terms });
  const bankAccountId = (await accountIdsByCode(office))["1000"]!;
  const ledger = await openDatabase(database, running().databaseUrls.ledger.service, 4);
  try {
    const { organizationId, userId } = office;
    const db = new OrgDb(ledger, { organizationId, userId, role: "admin", subjectId: null, timezone: "America/New_York" });
    const chart = await getChart(db);
    await eventually("renewal that the ledger knows", async () => {
      const rows = await withOwnerConnection(office, (owner) =>
        owner.query("select from lease_copy where id = $1 and start_date = '2026-06-01'", [renewal.id]),
      );
      return rows.rowCount === 1;
    });
    const takeOver = () => takeOverMoney(db, "America/New_York", chart, { id: renewal.id, startDate: "2026-06-01", renewedFromLeaseId: tenancy.leaseId });
    const refund = () => office.attempt("refundPayment", { params: { id: payment.id }, body: { amountCents: 50, method: "check", bankAccountId } });
    const reverse = () => office.attempt("reversePayment", { params: { id: payment.id }, body: { reason: "other" } });
    if (!isConcurrent) {
      await takeOver();
      await refund();
      return await reverse();
    }
    return await withLockedRow(office, "payment", payment.id, async (row) => {
      const taken = takeOver();
      await row.waitForWaiters(1);
      const refunded = refund();
      await row.waitForWaiters(2);
      const reversed = reverse();
      await row.waitForWaiters(3);
      await row.release();
      await taken;
      // PostgreSQL does not guarantee the order of the waiters: if the reversal ran before the refund, the whole scenario is repeated.
      return (await refunded).status === 200 ? reversed : reverseRefunded(true);
    });
  } finally {
    await ledger.close();
  }
}

test("control: a refunded payment is reversed after a takeover, and the renewal is charged the refund", async () => {
  const { status, body } = await reverseRefunded(false);
  expect([status, body.charges?.map(({ amountCents }) => amountCents)]).toEqual([200, [50]]);
});

test("a payment that was taken over and refunded while its reversal waited is reversed, and the renewal is charged the refund", async () => {
  const { status, body } = await reverseRefunded(true);
  expect([status, body.charges?.map(({ amountCents }) => amountCents)]).toEqual([200, [50]]);
});
