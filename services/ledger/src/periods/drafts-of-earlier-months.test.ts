import { expect, test } from "@jest/globals";
import { anOffice } from "../../../../test/support/office.ts";
import { accountIdsByCode, createEntry } from "../journal/journal.fixtures.ts";
import { periodOf } from "./periods.fixtures.ts";

// The close of February closes January, which has no postings, too; then the draft of January cannot be posted on its date.
test("the checklist of a month counts the drafts of the earlier months that are closed with it", async () => {
  const office = await anOffice();
  const accounts = await accountIdsByCode(office);
  await createEntry(
    office,
    accounts,
    [
      ["5000", 5],
      ["1000", -5],
    ],
    { occurredAt: "2026-01-10T17:00:00.000Z", status: "draft" },
  );
  await createEntry(
    office,
    accounts,
    [
      ["5000", 5],
      ["1000", -5],
    ],
    { occurredAt: "2026-02-10T17:00:00.000Z", status: "posted" },
  );
  const { checklist } = await office.call("checkAccountingPeriod", { params: { id: (await periodOf(office, "2026-02")).id } });
  expect(checklist.find(({ key }) => key === "draft_entries")).toMatchObject({ ok: false, count: 1 });
});
