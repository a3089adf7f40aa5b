import { describe, expect, test } from "@jest/globals";
import { today } from "@freehold/kit/time/clock";
import { startOfMonth } from "@freehold/kit/time/plain-date";
import { anOffice, type Office } from "../../../../test/support/office.ts";
import { aCharge, aPayment, aTenancy, postControlEntry } from "../../../../test/support/tenancy.ts";
import { recordEvents, waitForDailyJobs } from "../../test/ledger.fixtures.ts";
import { accountIdsByCode, createEntry, entryBody, type SignedLine } from "../journal/journal.fixtures.ts";
import { closeMonth, periodOf } from "./periods.fixtures.ts";

const lines: SignedLine[] = [
  ["1000", 100],
  ["3100", -100],
];
const postOn = async (office: Office, day: string) => createEntry(office, await accountIdsByCode(office), lines, { occurredAt: `${day}T15:00:00Z` });

describe("listAccountingPeriods", () => {
  test("starts with the earliest month with postings and ends with the current one", async () => {
    const office = await anOffice();
    const currentMonth = startOfMonth(today("America/New_York"));
    const startDates = async () => (await office.call("listAccountingPeriods")).periods.map(({ startDate }) => startDate);
    expect(await startDates()).toEqual([currentMonth]);
    await postOn(office, "2026-02-10");
    const dates = await startDates();
    expect([dates[0], dates.at(-1)]).toEqual(["2026-02-01", currentMonth]);
    expect(dates).toEqual([...new Set(dates)].sort());
  });

  test("returns the twelve months of a year, the same ones each time", async () => {
    const office = await anOffice();
    const [first, second] = await Promise.all([1, 2].map(() => office.call("listAccountingPeriods", { query: { year: "2028" } })));
    expect(first!.periods.map(({ startDate, endDate, status }) => `${startDate} ${endDate} ${status}`)).toContain("2028-02-01 2028-02-29 open");
    expect([first!.periods.length, second]).toEqual([12, first]);
  });
});

describe("checkAccountingPeriod", () => {
  test("counts only charges due by today for a period years ahead", async () => {
    const office = await anOffice();
    const { periods } = await office.call("listAccountingPeriods", { query: { year: "2190" } });
    const { checklist } = await office.call("checkAccountingPeriod", { params: { id: periods[0]!.id } });
    expect(checklist.find(({ key }) => key === "unposted_recurring_charges")).toMatchObject({ ok: true, count: 0 });
    const { status, body } = await office.attempt("closeAccountingPeriod", { params: { id: periods[0]!.id }, body: {} });
    expect([status, body.message]).toEqual([409, "The accounting period ends on 2190-01-31. Close it after that day."]);
  });
});

describe("closeAccountingPeriod", () => {
  test("closes months with postings in order, and with each the empty months before it", async () => {
    const office = await anOffice();
    await postOn(office, "2026-02-10");
    await postOn(office, "2026-04-10");
    const april = await periodOf(office, "2026-04");
    const refused = await office.attempt("closeAccountingPeriod", { params: { id: april.id }, body: { force: true } });
    expect([refused.status, refused.body.code, refused.body.message]).toEqual([409, "invalid_transition", "Periods close in order. Close 2026-02 first."]);
    const { period } = await office.call("closeAccountingPeriod", { params: { id: (await periodOf(office, "2026-02")).id }, body: { note: "Done" } });
    expect(period).toMatchObject({ status: "closed", note: "Done", closedAt: expect.any(String), closedByUserId: office.userId, reopenedAt: null });
    expect((await periodOf(office, "2026-01")).status).toBe("closed");
    // March has no postings.
    expect((await closeMonth(office, "2026-04")).status).toBe("closed");
    expect([(await periodOf(office, "2026-03")).status, (await periodOf(office, "2026-05")).status]).toEqual(["closed", "open"]);
    const again = await office.attempt("closeAccountingPeriod", { params: { id: april.id }, body: {} });
    expect([again.status, again.body.code]).toEqual([409, "invalid_transition"]);
  });

  test("refuses a period that has not ended", async () => {
    const office = await anOffice();
    const [current] = (await office.call("listAccountingPeriods")).periods;
    for (const operation of ["closeAccountingPeriod", "softCloseAccountingPeriod"] as const) {
      const { status, body } = await office.attempt(operation, { params: { id: current!.id }, body: { force: true } });
      expect([status, body.message]).toEqual([409, `The accounting period ends on ${current!.endDate}. Close it after that day.`]);
      const stale = await office.attempt(operation, { params: { id: current!.id }, body: {}, headers: { "If-Match": '"99"' } });
      expect([stale.status, stale.body.code]).toEqual([412, "version_conflict"]);
    }
  });

  test("publishes each close and reopening", async () => {
    const office = await anOffice();
    const recorder = await recordEvents(office);
    try {
      const { id } = await periodOf(office, "2026-01");
      await office.call("softCloseAccountingPeriod", { params: { id }, body: {} });
      await office.call("closeAccountingPeriod", { params: { id }, body: {} });
      await office.call("reopenAccountingPeriod", { params: { id }, body: { reason: "A late invoice" } });
      for (const type of ["period.soft_closed", "period.closed", "period.reopened"] as const)
        expect(await recorder.waitForEvent(type, id)).toMatchObject({ data: { startDate: "2026-01-01", endDate: "2026-01-31" }, actorUserId: office.userId });
    } finally {
      await recorder.close();
    }
  });
});

describe("softCloseAccountingPeriod", () => {
  test("soft-closes open months in order; soft-closed months close in the same order", async () => {
    const office = await anOffice();
    await postOn(office, "2026-01-10");
    await postOn(office, "2026-02-10");
    const [january, february] = [await periodOf(office, "2026-01"), await periodOf(office, "2026-02")];
    const softClose = (id: string) => office.attempt("softCloseAccountingPeriod", { params: { id }, body: {} });
    expect((await softClose(february.id)).status).toBe(409);
    expect((await softClose(january.id)).body.period.status).toBe("soft_closed");
    expect((await softClose(february.id)).body.period.status).toBe("soft_closed");
    expect((await office.attempt("closeAccountingPeriod", { params: { id: february.id }, body: {} })).body.message).toContain("Close 2026-01 first");
    expect((await closeMonth(office, "2026-01")).status).toBe("closed");
    expect((await closeMonth(office, "2026-02")).status).toBe("closed");
    expect((await softClose(february.id)).status).toBe(409);
  });
});

describe("a soft-closed period", () => {
  test("accepts only journal entries of admins with a reason; a closed period accepts none", async () => {
    const office = await anOffice();
    const manager = await office.colleague("manager");
    const tenancy = await aTenancy(office);
    const { id } = await periodOf(office, "2026-01");
    await office.call("softCloseAccountingPeriod", { params: { id }, body: {} });
    const body = entryBody(await accountIdsByCode(office), lines, { occurredAt: "2026-01-10T15:00:00Z" });
    const headers = { "X-Period-Override": "Invoice of the auditor" };
    const draft = await createEntry(office, await accountIdsByCode(office), lines, { status: "draft", occurredAt: "2026-01-10T15:00:00Z" });
    const create = (caller: Pick<Office, "attempt">, options: object = {}) => caller.attempt("createJournalEntry", { body, ...options });
    const post = (options: object = {}) => office.attempt("postJournalEntry", { params: { id: draft.id }, body: {}, ...options });
    expect([(await create(office)).body.code, (await post()).body.code]).toEqual(["period_closed", "period_closed"]);
    const forbidden = await create(manager, { headers });
    expect([forbidden.status, forbidden.body.code]).toEqual([403, "role_forbidden"]);
    for (const { body: result } of [await create(office, { headers }), await post({ headers })])
      expect(result.journalEntry).toMatchObject({ occurredAt: "2026-01-10T15:00:00.000Z", movedFromDate: null, overrideReason: "Invoice of the auditor" });
    await office.call("recordPayment", { body: aPayment(tenancy, 100) });
    const { journalEntries } = await office.call("listJournalEntries", { query: { source: "payment" } });
    expect(journalEntries[0]!.movedFromDate).toBe("2026-01-05");
    await closeMonth(office, "2026-01");
    expect((await create(office, { headers })).body.code).toBe("period_closed");
  });
});

describe("reopenAccountingPeriod", () => {
  test("opens the last closed period, so that entries are posted into it again", async () => {
    const office = await anOffice();
    await postOn(office, "2026-01-10");
    await postOn(office, "2026-02-10");
    const [january, february] = [await closeMonth(office, "2026-01"), await closeMonth(office, "2026-02")];
    const reopen = (id: string) => office.attempt("reopenAccountingPeriod", { params: { id }, body: { reason: "A late invoice" } });
    const refused = await reopen(january.id);
    expect([refused.status, refused.body.message]).toEqual([409, "Periods reopen in reverse order. Reopen 2026-02 first."]);
    expect((await reopen(february.id)).body.period).toMatchObject({
      status: "open",
      closedAt: null,
      reopenedAt: expect.any(String),
      reopenReason: "A late invoice",
    });
    expect((await reopen(february.id)).status).toBe(409);
    expect((await postOn(office, "2026-02-28")).movedFromDate).toBeNull();
    expect((await reopen(january.id)).status).toBe(200);
    expect((await postOn(office, "2026-01-02")).movedFromDate).toBeNull();
  });

  test("is for admins only; managers close, staff read", async () => {
    const office = await anOffice();
    const [manager, staff] = [await office.colleague("manager"), await office.colleague("staff")];
    const { id } = await closeMonth(manager, "2026-01");
    const { status, body } = await manager.attempt("reopenAccountingPeriod", { params: { id }, body: { reason: "A late invoice" } });
    expect([status, body.message]).toEqual([403, "Only admins can reopen accounting periods."]);
    expect((await staff.attempt("closeAccountingPeriod", { params: { id }, body: {} })).status).toBe(403);
    expect((await periodOf(staff, "2026-01")).status).toBe("closed");
  });
});

describe("checkAccountingPeriod", () => {
  test("counts the open items of the period; a close names the failed checks and is refused unless forced", async () => {
    const office = await anOffice();
    const tenancy = await aTenancy(office, { createRecurringRent: true });
    await waitForDailyJobs(office);
    const { owner } = await office.call("createOwner", { body: { fullName: "Olga Owner", email: "olga@example.com" } });
    await createEntry(office, await accountIdsByCode(office), lines, { status: "draft", occurredAt: "2026-01-20T15:00:00Z" });
    await office.call("recordPayment", { body: aPayment(tenancy, 500) });
    const { propertyId } = tenancy;
    await office.call("updateProperty", { params: { id: propertyId }, body: { ownerIds: [owner.id] } });
    await postControlEntry(office, { debit: "3200", credit: "1000", amountCents: 70, propertyId, ownerId: owner.id, date: "2026-01-31" });
    const { id } = await periodOf(office, "2026-01");
    const { checklist } = await office.call("checkAccountingPeriod", { params: { id }, body: {} });
    expect(checklist.map(({ key, ok, count }) => [key, ok, count])).toEqual([
      ["draft_entries", false, 1],
      ["unreconciled_bank_accounts", true, 0],
      ["unposted_recurring_charges", false, 1],
      ["unallocated_payments", false, 1],
      ["negative_owner_ledgers", false, 1],
      ["three_way_variance", true, 0],
      ["moved_entries", true, 0],
    ]);
    const { status, body } = await office.attempt("closeAccountingPeriod", { params: { id }, body: {} });
    expect([status, body.code, body.errors?.map(({ path }) => path)]).toEqual([
      409,
      "invalid_transition",
      ["draft_entries", "unposted_recurring_charges", "unallocated_payments", "negative_owner_ledgers"],
    ]);
    expect((await periodOf(office, "2026-01")).status).toBe("open");
    expect((await closeMonth(office, "2026-01")).status).toBe("closed");
  });

  test("has no findings for a month without open items", async () => {
    const office = await anOffice();
    const tenancy = await aTenancy(office);
    const chargeId = await aCharge(office, tenancy.leaseId, 500);
    await office.call("recordPayment", { body: { ...aPayment(tenancy, 500), allocations: [{ chargeId, amountCents: 500 }] } });
    const { id } = await periodOf(office, "2026-01");
    const { checklist } = await office.call("checkAccountingPeriod", { params: { id }, body: {} });
    expect(checklist.every(({ ok, count, detail }) => ok && count === 0 && /^(No |Not checked)/.test(detail))).toBe(true);
    expect((await office.call("closeAccountingPeriod", { params: { id }, body: {} })).period.status).toBe("closed");
  });
});
