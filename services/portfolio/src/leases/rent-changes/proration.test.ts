import { describe, expect, test } from "@jest/globals";
import { addDays, addMonths, daysInMonth, startOfMonth, endOfMonth } from "@freehold/kit/time/plain-date";
import { anOffice } from "../../../../../test/support/office.ts";
import { eventually } from "../../../../../test/support/eventually.ts";
import { startReplica } from "../../../test/replica.ts";
import { aDraftLease, aLease, createLeaseReferences, currentDate, unknownId } from "../../../test/fixtures.ts";

const office = await anOffice();
const draft = await aDraftLease(office, await createLeaseReferences(office), { rentCents: 100_000 });
const getProration = (query: object, id = draft.id) => office.attempt("getLeaseProration", { params: { id }, query: query as never });
const prorate = async (from: string, to: string, parameters: object = {}) => (await getProration({ from, to, ...parameters })).body.proration;

/** Sets the proration method of the organization and waits until the ledger applies it. */
async function setMethod(prorationMethod: "actual_days" | "thirty_day" | "annual_365"): Promise<void> {
  await office.call("updateOrganization", { body: { policies: { prorationMethod } } });
  await eventually(prorationMethod, async () => (await prorate("2026-01-01", "2026-01-01")).method === prorationMethod);
}

describe("getLeaseProration", () => {
  // Calculated by hand: days × rent ÷ days of the month; days × rent ÷ 30; days × 12 × rent ÷ 365. A full month costs the full rent.
  const examples: [string, string, number, Record<"actual_days" | "thirty_day" | "annual_365", [number, number]>][] = [
    ["2026-01-10", "2026-01-31", 22, { actual_days: [31, 70_968], thirty_day: [30, 73_333], annual_365: [365, 72_329] }],
    ["2026-02-15", "2026-02-28", 14, { actual_days: [28, 50_000], thirty_day: [30, 46_667], annual_365: [365, 46_027] }],
    ["2028-02-15", "2028-02-29", 15, { actual_days: [29, 51_724], thirty_day: [30, 50_000], annual_365: [365, 49_315] }],
    ["2026-04-30", "2026-04-30", 1, { actual_days: [30, 3_333], thirty_day: [30, 3_333], annual_365: [365, 3_288] }],
    ["2026-03-02", "2026-03-31", 30, { actual_days: [31, 96_774], thirty_day: [30, 100_000], annual_365: [365, 98_630] }],
    ["2026-02-01", "2026-02-28", 28, { actual_days: [28, 100_000], thirty_day: [30, 100_000], annual_365: [365, 100_000] }],
    ["2026-01-01", "2026-01-31", 31, { actual_days: [31, 100_000], thirty_day: [30, 100_000], annual_365: [365, 100_000] }],
  ];

  test.each(["actual_days", "thirty_day", "annual_365"] as const)("prorates by the organization's method %s", async (method) => {
    await setMethod(method);
    for (const [from, to, days, expected] of examples) {
      const [daysInPeriod, amountCents] = expected[method];
      const line = { from, to, days, daysInPeriod, rentCents: 100_000, amountCents };
      expect(await prorate(from, to)).toEqual({ method, days, daysInPeriod, amountCents, lines: [line] });
    }
    const { days, daysInPeriod, lines, amountCents } = await prorate("2026-01-17", "2026-03-16");
    expect([days, daysInPeriod]).toEqual([59, { actual_days: 90, thirty_day: 90, annual_365: 365 }[method]]);
    expect(lines.map(({ from, to }) => [from, to])).toEqual([
      ["2026-01-17", "2026-01-31"],
      ["2026-02-01", "2026-02-28"],
      ["2026-03-01", "2026-03-16"],
    ]);
    expect(amountCents).toBe(lines.reduce((total, line) => total + line.amountCents, 0));
    await setMethod("actual_days");
  });

  test("prorates a given rent, up to the largest safe integer", async () => {
    expect((await prorate("2026-04-01", "2026-04-15", { rentCents: 3 })).amountCents).toBe(2);
    expect((await prorate("2026-04-01", "2026-04-15", { rentCents: 0 })).amountCents).toBe(0);
    expect((await prorate("2026-04-01", "2026-04-30", { rentCents: Number.MAX_SAFE_INTEGER })).amountCents).toBe(Number.MAX_SAFE_INTEGER);
    const overflow = await getProration({ from: "2026-04-01", to: "2026-05-31", rentCents: Number.MAX_SAFE_INTEGER });
    expect([overflow.status, overflow.body.errors]).toMatchObject([400, [{ path: "rentCents", code: "max" }]]);
  });

  test("applies rent changes within the range", async () => {
    const { id } = await aLease(office, await createLeaseReferences(office), { rentCents: 100_000, createRecurringRent: false });
    const month = addMonths(startOfMonth(currentDate()), 2);
    const days = daysInMonth(month);
    await office.call("createRentChange", { params: { id }, body: { effectiveDate: addDays(month, 10), rentCents: 200_000 } });
    const { proration } = (await getProration({ from: month, to: endOfMonth(month) }, id)).body;
    const [beforeCents, afterCents] = [Math.round((100_000 * 10) / days), Math.round((200_000 * (days - 10)) / days)];
    expect(proration).toMatchObject({ days, daysInPeriod: days, amountCents: beforeCents + afterCents });
    expect(proration.lines).toMatchObject([
      { to: addDays(month, 9), rentCents: 100_000, amountCents: beforeCents },
      { from: addDays(month, 10), rentCents: 200_000, amountCents: afterCents },
    ]);
  });

  test.each([
    ["no first date", { to: "2026-01-01" }, "from", "required"],
    ["no last date", { from: "2026-01-01" }, "to", "required"],
    ["a date that does not exist", { from: "2026-02-29", to: "2026-03-01" }, "from", "format"],
    ["a last date before the first", { from: "2026-01-02", to: "2026-01-01" }, "to", "before_start"],
    ["more than ten years", { from: "2026-01-01", to: "2036-01-02" }, "to", "max"],
    ["a negative rent", { from: "2026-01-01", to: "2026-01-02", rentCents: -1 }, "rentCents", "min"],
    ["half a cent", { from: "2026-01-01", to: "2026-01-02", rentCents: 0.5 }, "rentCents", "type"],
    ["an unknown parameter", { from: "2026-01-01", to: "2026-01-02", method: "thirty_day" }, "method", "unrecognized_key"],
  ])("refuses %s", async (_, query, path, code) => {
    const { status, body } = await getProration(query);
    expect([status, body.errors]).toMatchObject([400, [{ path, code }]]);
  });

  test("is allowed for staff, and returns 404 for unknown leases and those of another organization, and 503 without the ledger", async () => {
    const query = { from: "2026-01-01", to: "2036-01-01" };
    const [otherOffice, staff] = await Promise.all([anOffice(), office.colleague("staff")]);
    expect((await staff.attempt("getLeaseProration", { params: { id: draft.id }, query })).status).toBe(200);
    expect((await otherOffice.attempt("getLeaseProration", { params: { id: draft.id }, query })).status).toBe(404);
    expect((await getProration(query, unknownId())).status).toBe(404);
    const replica = await startReplica(office, { reachable: "nothing" });
    try {
      expect((await replica.request("GET", `/api/leases/${draft.id}/proration?from=2026-01-01&to=2026-01-02`)).status).toBe(503);
    } finally {
      await replica.stop();
    }
  });
});
