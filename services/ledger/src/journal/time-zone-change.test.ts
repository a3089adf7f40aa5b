/** Dates of postings and lists after the organization changed its time zone, with an access token that was issued before. */
import { beforeAll, expect, test } from "@jest/globals";
import { anOffice, type Office } from "../../../../test/support/office.ts";
import { aPayment, aTenancy } from "../../../../test/support/tenancy.ts";
import { eventually } from "../../../../test/support/eventually.ts";
import { withOwnerConnection } from "../../test/ledger.fixtures.ts";
import { accountIdsByCode, createEntry } from "./journal.fixtures.ts";

// 20:00 UTC on February 28 is 15:00 in New York, and 09:00 on March 1 in Auckland.
const INSTANT = "2026-02-28T20:00:00.000Z";
let office: Office;
beforeAll(async () => {
  office = await anOffice();
  await office.call("updateOrganization", { body: { timezone: "Pacific/Auckland" } });
  await withOwnerConnection(office, (client) =>
    eventually("time zone of the ledger", async () => (await client.query("select 1 from book where timezone = 'Pacific/Auckland'")).rows.length > 0),
  );
});

test("a journal entry and a payment at the same instant are dated the same day in the organization's time zone", async () => {
  const accounts = await accountIdsByCode(office);
  const tenancy = await aTenancy(office);
  await createEntry(
    office,
    accounts,
    [
      ["5000", 5],
      ["1000", -5],
    ],
    { occurredAt: INSTANT, status: "posted" },
  );
  await office.call("recordPayment", { body: { ...aPayment(tenancy, 700), receivedAt: INSTANT } });
  const { entries } = await office.call("listGeneralLedger", { query: { from: "2026-02-01", to: "2026-03-31" } });
  expect(entries.map(({ accountCode, date }) => `${accountCode} ${date}`).sort()).toEqual(["1000", "1050", "2150", "5000"].map((code) => `${code} 2026-03-01`));
});

test("a payment is listed on the day on which it is posted", async () => {
  const tenancy = await aTenancy(office);
  await office.call("recordPayment", { body: { ...aPayment(tenancy, 700), receivedAt: INSTANT } });
  const { payments } = await office.call("listPayments", { query: { leaseId: tenancy.leaseId, receivedAfter: "2026-03-01", receivedBefore: "2026-03-01" } });
  expect(payments).toHaveLength(1);
});
