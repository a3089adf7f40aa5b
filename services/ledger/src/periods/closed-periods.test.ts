/** Nothing is posted into a closed period, by any path. */
import { describe, expect, test } from "@jest/globals";
import { anOffice, type Office } from "../../../../test/support/office.ts";
import { aCharge, aPayment, aTenancy, closingBalances, type Tenancy } from "../../../../test/support/tenancy.ts";
import { findViolations } from "../../test/invariants.queries.ts";
import { waitForDailyJobs, withOwnerConnection } from "../../test/ledger.fixtures.ts";
import { accountIdsByCode, createEntry, entryBody, type SignedLine } from "../journal/journal.fixtures.ts";
import { closeMonth, periodOf } from "./periods.fixtures.ts";

const lines: SignedLine[] = [
  ["1000", 100],
  ["3100", -100],
];
const january = { from: "2026-01-01", to: "2026-01-31" };
const pay = async (office: Office, tenancy: Tenancy, amountCents: number, changes: object = {}) =>
  (await office.call("recordPayment", { body: { ...aPayment(tenancy, amountCents), ...changes } })).payment;

/** Returns the posted entries by ascending id with their date and original date, without those whose ids are in `earlier`. */
const entriesOf = (office: Office, earlier: readonly string[] = []) =>
  withOwnerConnection(office, async (client) => {
    const { rows } = await client.query<{ id: string; source: string; date: string; movedFrom: string | null }>(
      `select e.id, e.source, e.entry_date::text as date, e.moved_from::text as "movedFrom" from journal_entry e where e.status <> 'draft' order by e.id`,
    );
    return rows.filter(({ id }) => !earlier.includes(id));
  });

/** Returns an office whose January 2026 is closed, its tenancy, and a function that returns the entries posted since the close. */
async function anOfficeWithClosedMonth(prepare: (office: Office, tenancy: Tenancy) => Promise<unknown>, terms = {}) {
  const office = await anOffice();
  const tenancy = await aTenancy(office, terms);
  await waitForDailyJobs(office);
  await prepare(office, tenancy);
  await closeMonth(office, "2026-01");
  const earlier = (await entriesOf(office)).map(({ id }) => id);
  const balancesOfJanuary = async () => (await office.call("getTrialBalance", { query: january })).trialBalance.rows;
  const before = await balancesOfJanuary();
  return {
    office,
    tenancy,
    /** Returns source, date and original date of the entries posted since the close, after checking that January is unchanged. */
    postedSince: async () => {
      expect(await balancesOfJanuary()).toEqual(before);
      return (await entriesOf(office, earlier)).map(({ source, date, movedFrom }) => [source, date, movedFrom]);
    },
  };
}

describe("after a month is closed", () => {
  test("a payment received in it is dated the first open day and keeps its time of receipt", async () => {
    let chargeId = "";
    const { office, tenancy, postedSince } = await anOfficeWithClosedMonth(async (office, { leaseId }) => (chargeId = await aCharge(office, leaseId, 900)));
    const payment = await pay(office, tenancy, 1_000, { allocations: [{ chargeId, amountCents: 900 }] });
    expect(payment.receivedAt).toBe("2026-01-05T15:00:00.000Z");
    expect(await postedSince()).toEqual([["payment", "2026-02-01", "2026-01-05"]]);
    const { journalEntries } = await office.call("listJournalEntries", { query: { source: "payment" } });
    expect(journalEntries).toMatchObject([{ occurredAt: "2026-02-01T05:00:00.000Z", movedFromDate: "2026-01-05" }]);
    const { entries } = await office.call("listGeneralLedger", { query: { from: "2026-02-01", to: "2026-02-01", basis: "cash" } });
    expect(entries.map(({ accountCode }) => accountCode)).toEqual(["1050", "4000", "2150"]);
  });

  test("an allocation of credit that was received in it is dated the first open day", async () => {
    let [chargeId, paymentId] = ["", ""];
    const { office, postedSince } = await anOfficeWithClosedMonth(async (office, tenancy) => {
      chargeId = await aCharge(office, tenancy.leaseId, 900);
      paymentId = (await pay(office, tenancy, 900)).id;
    });
    await office.call("allocatePayment", { params: { id: paymentId }, body: { allocations: [{ chargeId, amountCents: 900 }] } });
    expect(await postedSince()).toEqual([["allocation", "2026-02-01", "2026-01-05"]]);
  });

  test("a reversal of a payment on a day in it is dated the first open day, and the charge is open again from that day", async () => {
    let [chargeId, paymentId] = ["", ""];
    const { office, tenancy, postedSince } = await anOfficeWithClosedMonth(async (office, tenancy) => {
      chargeId = await aCharge(office, tenancy.leaseId, 900);
      paymentId = (await pay(office, tenancy, 900, { allocations: [{ chargeId, amountCents: 900 }] })).id;
    });
    await office.call("reversePayment", { params: { id: paymentId }, body: { reason: "nsf", reversedAt: "2026-01-10T15:00:00Z", bankFeeCents: 15 } });
    expect(await postedSince()).toEqual([
      ["reversal", "2026-02-01", "2026-01-10"],
      ["bank_fee", "2026-02-01", "2026-01-10"],
    ]);
    // Even after the month is reopened, the charge is settled no earlier than the day on which the reversal reopened it.
    const { id } = await periodOf(office, "2026-01");
    await office.call("reopenAccountingPeriod", { params: { id }, body: { reason: "A late receipt" } });
    await pay(office, tenancy, 900, { receivedAt: "2026-01-12T15:00:00Z", allocations: [{ chargeId, amountCents: 900 }] });
    const { trialBalance } = await office.call("getTrialBalance", { query: { asOf: "2026-01-31" } });
    expect(trialBalance.rows.find(({ accountCode }) => accountCode === "1100")!.closingCents).toBe(0);
    expect((await closingBalances(office))["1100"]).toBe(0);
  });

  test("rent that is due in it is dated the first open day, keeps its due date, and is settled no earlier", async () => {
    const { office, tenancy, postedSince } = await anOfficeWithClosedMonth(() => Promise.resolve(), { rentCents: 900, createRecurringRent: true });
    const payment = await pay(office, tenancy, 900);
    const { posting } = await office.call("postDueCharges", { body: { throughDate: "2026-01-31" } });
    expect(posting.lines).toMatchObject([{ dueDate: "2026-01-01", reason: null }]);
    expect(await postedSince()).toEqual([
      ["payment", "2026-02-01", "2026-01-05"],
      ["charge", "2026-02-01", "2026-01-01"],
    ]);
    const chargeId = posting.lines[0]!.chargeId!;
    expect((await office.call("getCharge", { params: { id: chargeId } })).charge).toMatchObject({ dueDate: "2026-01-01", isOverdue: true });
    const { id } = await periodOf(office, "2026-01");
    const { checklist } = await office.call("checkAccountingPeriod", { params: { id }, body: {} });
    expect(checklist.find(({ key }) => key === "moved_entries")).toMatchObject({ ok: true, count: 2 });
    await office.call("reopenAccountingPeriod", { params: { id }, body: { reason: "A late receipt" } });
    const late = await pay(office, tenancy, 900, { receivedAt: "2026-01-12T15:00:00Z", allocations: [{ chargeId, amountCents: 900 }] });
    const { journalEntries } = await office.call("listJournalEntries", { query: { source: "allocation" } });
    expect([payment.unallocatedCents, late.unallocatedCents, journalEntries[0]!.occurredAt]).toEqual([900, 0, "2026-02-01T05:00:00.000Z"]);
  });

  test("a charge that was due in it is voided on a day of an open month", async () => {
    let chargeId = "";
    const { office, postedSince } = await anOfficeWithClosedMonth(async (office, { leaseId }) => (chargeId = await aCharge(office, leaseId, 900)));
    await office.call("voidCharge", { params: { id: chargeId }, body: { reason: "a mistake" } });
    const [[source, date, movedFrom]] = (await postedSince()) as [[string, string, string | null]];
    expect([source, movedFrom, date > "2026-01-31"]).toEqual(["reversal", null, true]);
  });

  test("a reversal of a journal entry in it is dated the first open day", async () => {
    let entryId = "";
    const { office, postedSince } = await anOfficeWithClosedMonth(async (office) => {
      entryId = (await createEntry(office, await accountIdsByCode(office), lines, { occurredAt: "2026-01-10T15:00:00Z" })).id;
    });
    const { reversal } = await office.call("reverseJournalEntry", { params: { id: entryId }, body: { occurredAt: "2026-01-20T15:00:00Z" } });
    expect([reversal.occurredAt, reversal.movedFromDate]).toEqual(["2026-02-01T05:00:00.000Z", "2026-01-20"]);
    expect(await postedSince()).toEqual([["reversal", "2026-02-01", "2026-01-20"]]);
  });

  test("manual journal entries and charges in it are refused, naming the first open day", async () => {
    let draftId = "";
    const { office, tenancy, postedSince } = await anOfficeWithClosedMonth(async (office) => {
      draftId = (await createEntry(office, await accountIdsByCode(office), lines, { status: "draft", occurredAt: "2026-01-10T15:00:00Z" })).id;
    });
    const accountIds = await accountIdsByCode(office);
    const charge = (dueDate: string) => office.attempt("createCharge", { body: { leaseId: tenancy.leaseId, amountCents: 100, dueDate, chargeType: "rent" } });
    const post = (body: object) => office.attempt("postJournalEntry", { params: { id: draftId }, body });
    const create = (occurredAt: string) => office.attempt("createJournalEntry", { body: entryBody(accountIds, lines, { occurredAt }) });
    for (const { status, body } of [
      await create("2026-02-01T04:59:59Z"),
      await post({}),
      await post({ occurredAt: "2025-12-31T12:00:00Z" }),
      await charge("2026-01-31"),
    ]) {
      expect([status, body.code]).toEqual([409, "period_closed"]);
      expect(body.message).toContain("2026-02-01, the first open day");
    }
    expect(await postedSince()).toEqual([]);
    for (const { status } of [await create("2026-02-01T05:00:00Z"), await post({ occurredAt: "2026-02-02T12:00:00Z" }), await charge("2026-02-01")])
      expect(status).toBe(200);
    await createEntry(office, accountIds, lines, { status: "draft", occurredAt: "2026-01-10T15:00:00Z" });
  });

  test("a due date is moved neither out of it nor into it", async () => {
    let chargeId = "";
    const { office, tenancy, postedSince } = await anOfficeWithClosedMonth(async (office, { leaseId }) => (chargeId = await aCharge(office, leaseId, 900)));
    const { charge } = await office.call("createCharge", { body: { leaseId: tenancy.leaseId, amountCents: 100, dueDate: "2026-02-10", chargeType: "rent" } });
    const move = (id: string, dueDate: string) => office.attempt("updateCharge", { params: { id }, body: { dueDate } });
    for (const { status, body } of [await move(chargeId, "2026-02-20"), await move(charge.id, "2026-01-31")])
      expect([status, body.code]).toEqual([409, "period_closed"]);
    expect(await postedSince()).toEqual([["charge", "2026-02-10", null]]);
  });

  test("credits, deposits and refunds dated in it are dated the first open day", async () => {
    let chargeId = "";
    const { office, tenancy, postedSince } = await anOfficeWithClosedMonth(async (office, { leaseId }) => (chargeId = await aCharge(office, leaseId, 900)));
    const { id } = await pay(office, tenancy, 500);
    const bankAccountId = (await accountIdsByCode(office))["1000"]!;
    await office.call("createDeposit", { body: { bankAccountId, depositedOn: "2026-01-10", paymentIds: [id] } });
    await office.call("refundPayment", { params: { id }, body: { amountCents: 200, method: "check", bankAccountId, refundedAt: "2026-01-20T15:00:00Z" } });
    await office.call("creditCharge", { params: { id: chargeId }, body: { amountCents: 50, reason: "waive", creditedOn: "2026-01-25" } });
    const posted = await postedSince();
    expect(posted.map(([source, date]) => [source, date])).toEqual([
      ["payment", "2026-02-01"],
      ["deposit", "2026-02-01"],
      ["refund", "2026-02-01"],
      ["credit", "2026-02-01"],
    ]);
    const ids = await withOwnerConnection(office, findViolations);
    expect(ids).toEqual([]);
  });

  test("the database refuses every line in it", async () => {
    const { office, postedSince } = await anOfficeWithClosedMonth(() => Promise.resolve());
    await withOwnerConnection(office, async (client) => {
      const insert = (date: string) =>
        client.query(
          `with entry as (insert into journal_entry (organization_id, id, created_at, updated_at, memo, occurred_at, entry_date, status, source, debit_total_cents, credit_total_cents)
              values ($1, gen_random_uuid(), now(), now(), 'Direct', now(), $2, 'posted', 'manual', 5, 5) returning id)
            insert into journal_line (organization_id, id, entry_id, account_id, entry_date, debit_cents, credit_cents)
              select $1, gen_random_uuid(), entry.id, (select id from category where code = '1000' and organization_id = $1), $2, debit, credit
              from entry, (values (5, 0), (0, 5)) as side (debit, credit)`,
          [office.organizationId, date],
        );
      await expect(insert("2026-01-31")).rejects.toMatchObject({ code: "40001", constraint: "accounting_period_open" });
      await expect(insert("2019-05-01")).rejects.toMatchObject({ code: "40001", constraint: "accounting_period_open" });
      await insert("2026-02-01");
    });
    expect(await postedSince()).toEqual([["manual", "2026-02-01", null]]);
  });
});
