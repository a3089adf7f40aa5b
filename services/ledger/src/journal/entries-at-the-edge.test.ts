/** Journal entries of documents on the first and the last accepted day. */
import { expect, test } from "@jest/globals";
import { anOffice } from "../../../../test/support/office.ts";
import { aCharge, aTenancy } from "../../../../test/support/tenancy.ts";

test.each([
  ["the first accepted day", "1900-01-01"],
  ["an ordinary day", "2026-01-01"],
  ["the last accepted day", "2199-12-31"],
])("the journal lists the entry of a charge that is due on %s", async (_name, dueDate) => {
  const office = await anOffice();
  const { leaseId } = await aTenancy(office);
  await office.call("createCharge", { body: { leaseId, amountCents: 100, dueDate, chargeType: "fee" } });
  const { journalEntries } = await office.call("listJournalEntries");
  expect(journalEntries.map(({ occurredAt }) => occurredAt.slice(0, 10))).toEqual([dueDate]);
});

test("the journal lists the entry of a credit on the last accepted day", async () => {
  const office = await anOffice();
  const { leaseId } = await aTenancy(office);
  const id = await aCharge(office, leaseId, 100);
  await office.call("creditCharge", { params: { id }, body: { amountCents: 10, reason: "waive", creditedOn: "2199-12-31" } });
  const { journalEntries } = await office.call("listJournalEntries", { query: { source: "credit" } });
  expect(journalEntries.map(({ occurredAt }) => occurredAt.slice(0, 10))).toEqual(["2199-12-31"]);
});
