import { beforeAll, describe, expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { anOffice, type Office } from "../../../../test/support/office.ts";
import { aTenancy } from "../../../../test/support/tenancy.ts";
import { recordEvents } from "../../test/ledger.fixtures.ts";
import { accountIdsByCode } from "../journal/journal.fixtures.ts";
import { aBudget, everyMonth } from "./budgets.fixtures.ts";

let office: Office;
let otherOffice: Office;
let propertyId: string;
let accounts: Record<string, string>;
beforeAll(async () => {
  [office, otherOffice] = await Promise.all([anOffice(), anOffice()]);
  [{ propertyId }, accounts] = await Promise.all([aTenancy(office), accountIdsByCode(office)]);
});

const lineOf = (code: string, cents: number, note?: string) => ({ categoryId: accounts[code]!, amountsCents: everyMonth(cents), ...(note && { note }) });
const withLines = (lines: unknown[]) => ({ body: { name: "Budget", fiscalYear: 2026, lines } }) as never;
const update = (id: string, body: object, headers: Record<string, string> = {}) => office.attempt("updateBudget", { params: { id }, body, headers });
const codesOf = ({ status, body }: Awaited<ReturnType<typeof update>>) => [status, body.errors?.map(({ path, code }) => [path, code]) ?? body.code];

describe("createBudget", () => {
  test("creates a draft with the totals of its lines", async () => {
    const events = await recordEvents(office);
    const terms = { propertyId, name: "Elm Street", fiscalYear: 2027, startMonth: 7, basis: "cash" as const };
    const budget = await aBudget(office, { ...terms, lines: [lineOf("4000", 1_000, "3 % more"), lineOf("4090", -10), lineOf("5000", 200)] });
    expect(budget).toMatchObject({
      ...terms,
      organizationId: office.organizationId,
      status: "draft",
      startDate: "2026-07-01",
      endDate: "2027-06-30",
      totalIncomeCents: 11_880,
      totalExpenseCents: 2_400,
      deletedAt: null,
    });
    expect(budget.lines.map(({ categoryId, amountsCents, note }) => [categoryId, amountsCents, note])).toEqual([
      [accounts["4000"], everyMonth(1_000), "3 % more"],
      [accounts["4090"], everyMonth(-10), null],
      [accounts["5000"], everyMonth(200), null],
    ]);
    expect(new Set(budget.lines.map(({ id }) => id)).size).toBe(3);
    expect((await office.call("getBudget", { params: { id: budget.id } })).budget).toEqual(budget);
    expect((await events.waitForEvent("budget.created", budget.id)).data).toEqual({ propertyId, fiscalYear: 2027, status: "draft" });
    await events.close();
  });

  test("takes the start of the fiscal year and the basis of the organization by default", async () => {
    const newOffice = await anOffice();
    await newOffice.call("updateOrganization", { body: { fiscalYearStartMonth: 4 } });
    const { budget } = await newOffice.call("createBudget", { body: { name: "Portfolio", fiscalYear: 2026 } });
    expect(budget).toMatchObject({ propertyId: null, startMonth: 4, startDate: "2025-04-01", basis: "accrual", lines: [], totalIncomeCents: 0 });
  });

  test("names each line on an account that is unknown, repeated, or neither income nor expense", async () => {
    const foreign = (await accountIdsByCode(otherOffice))["4000"]!;
    const lines = [lineOf("4000", 1), lineOf("1000", 1), { ...lineOf("4000", 1), categoryId: foreign }, lineOf("4000", 2), lineOf("2100", 1)];
    expect(codesOf(await office.attempt("createBudget", withLines(lines)))).toEqual([
      400,
      [
        ["lines.1.categoryId", "not_allowed"],
        ["lines.2.categoryId", "not_found"],
        ["lines.3.categoryId", "unique"],
        ["lines.4.categoryId", "not_allowed"],
      ],
    ]);
  });

  test.each([
    ["eleven amounts", { amountsCents: Array(11).fill(1) }, "lines.0.amountsCents", "too_short"],
    ["thirteen amounts", { amountsCents: Array(13).fill(1) }, "lines.0.amountsCents", "too_long"],
    ["a fraction of a cent", { amountsCents: [0.5, ...Array(11).fill(1)] }, "lines.0.amountsCents.0", "type"],
    ["amounts whose sum is not exact", { amountsCents: everyMonth(Number.MAX_SAFE_INTEGER) }, "lines", "sum_exceeded"],
  ])("refuses a line with %s", async (_, change, path, code) => {
    expect(codesOf(await office.attempt("createBudget", withLines([{ ...lineOf("4000", 1), ...change }])))).toEqual([400, [[path, code]]]);
  });

  test("with the same Idempotency-Key creates one budget", async () => {
    const request = { body: { name: "Once", fiscalYear: 2026 }, headers: { "Idempotency-Key": randomUUID() } };
    const [first, repeated] = [await office.attempt("createBudget", request), await office.attempt("createBudget", request)];
    expect([first.status, repeated.text]).toEqual([200, first.text]);
  });
});

describe("listBudgets", () => {
  test("filters by property, fiscal year, status and name, sorts, and includes deleted budgets only with includeDeleted", async () => {
    const own = await anOffice();
    const tenancy = await aTenancy(own);
    const first = await aBudget(own, { name: "Alpha", propertyId: tenancy.propertyId, fiscalYear: 2026 });
    const second = await aBudget(own, { name: "beta", fiscalYear: 2027 });
    await own.call("activateBudget", { params: { id: second.id } });
    const names = async (query: Record<string, string | boolean>, client = own as Pick<Office, "call">) =>
      (await client.call("listBudgets", { query })).budgets.map(({ name }) => name);
    expect(await names({})).toEqual(["beta", "Alpha"]);
    expect(await names({ sortBy: "name", sortDirection: "asc" })).toEqual(["Alpha", "beta"]);
    expect(await names({ propertyId: tenancy.propertyId })).toEqual(["Alpha"]);
    expect(await names({ fiscalYear: "2027" })).toEqual(["beta"]);
    expect(await names({ status: "draft,archived" })).toEqual(["Alpha"]);
    expect(await names({ search: "ALPH" })).toEqual(["Alpha"]);
    const { budget: deleted } = await own.call("deleteBudget", { params: { id: first.id } });
    expect([await names({}), await names({ includeDeleted: true }), await names({ includeDeleted: true, updatedAfter: second.createdAt })]).toEqual([
      ["beta"],
      ["beta", "Alpha"],
      ["beta", "Alpha"],
    ]);
    expect(await names({ includeDeleted: true, updatedAfter: deleted.updatedAt })).toEqual([]);
    const staff = await own.colleague("staff");
    expect(await names({}, staff)).toEqual(["beta"]);
    expect((await staff.attempt("listBudgets", { query: { includeDeleted: true } })).body.code).toBe("scope_forbidden");
  });
});

describe("updateBudget", () => {
  test("changes the members that are sent and replaces the lines, of a draft and of an active budget", async () => {
    const draft = await aBudget(office, { propertyId, fiscalYear: 2030, lines: [lineOf("4000", 1), lineOf("5000", 1)] });
    const renamed = (await update(draft.id, { name: "Renamed", startMonth: 7 })).body.budget;
    expect(renamed).toEqual({ ...draft, name: "Renamed", startMonth: 7, startDate: "2029-07-01", endDate: "2030-06-30", updatedAt: renamed.updatedAt });
    await office.call("activateBudget", { params: { id: draft.id } });
    const revised = (await update(draft.id, { lines: [lineOf("5000", 30)], propertyId: null })).body.budget;
    expect([revised.status, revised.propertyId, revised.totalIncomeCents, revised.totalExpenseCents]).toEqual(["active", null, 0, 360]);
  });

  test("refuses an archived budget, an unknown property and an outdated If-Match", async () => {
    const { id } = await aBudget(office);
    expect(codesOf(await update(id, { propertyId: randomUUID() }))).toEqual([400, [["propertyId", "not_found"]]]);
    const headers = { "If-Match": (await office.attempt("getBudget", { params: { id } })).headers.get("ETag")! };
    expect([(await update(id, { name: "A" }, headers)).status, codesOf(await update(id, { name: "B" }, headers))]).toEqual([200, [412, "version_conflict"]]);
    await office.call("archiveBudget", { params: { id } });
    expect(codesOf(await update(id, { name: "C" }))).toEqual([409, "invalid_transition"]);
    expect((await office.attempt("fillBudgetFromActuals", { params: { id }, body: {} })).body.code).toBe("invalid_transition");
  });
});

describe("the status of a budget", () => {
  test("is active for one budget of a property and fiscal year, and of the portfolio", async () => {
    const events = await recordEvents(office);
    for (const terms of [{ propertyId, fiscalYear: 2040 }, { fiscalYear: 2040 }]) {
      const [first, second] = [await aBudget(office, terms), await aBudget(office, terms)];
      const activate = (id: string) => office.attempt("activateBudget", { params: { id } });
      expect((await activate(first.id)).body.budget.status).toBe("active");
      expect(await activate(second.id)).toMatchObject({ status: 409, body: { code: "duplicate" } });
      expect((await office.call("getBudget", { params: { id: second.id } })).budget.status).toBe("draft");
      const { budget: archived } = await office.call("archiveBudget", { params: { id: first.id } });
      expect(archived.status).toBe("archived");
      expect((await activate(second.id)).status).toBe(200);
      for (const operation of ["activateBudget", "archiveBudget"] as const)
        expect((await office.attempt(operation, { params: { id: first.id } })).body.code).toBe("invalid_transition");
      await office.call("deleteBudget", { params: { id: second.id } });
      const third = await aBudget(office, terms);
      expect((await activate(third.id)).status).toBe(200);
      const other = await aBudget(office, { ...terms, fiscalYear: 2041 });
      expect((await activate(other.id)).status).toBe(200);
      expect(codesOf(await update(other.id, { fiscalYear: 2040 }))).toEqual([409, "duplicate"]);
      for (const [type, id] of [
        ["budget.activated", first.id],
        ["budget.archived", first.id],
        ["budget.deleted", second.id],
      ] as const)
        await events.waitForEvent(type, id);
    }
    await events.close();
  });
});

describe("copyBudget", () => {
  test("creates a draft of another year with adjusted amounts, and leaves the copied budget as it is", async () => {
    const original = await aBudget(office, { propertyId, startMonth: 7, basis: "cash", lines: [lineOf("4000", 150, "Leases"), lineOf("5000", -150)] });
    await office.call("archiveBudget", { params: { id: original.id } });
    const before = (await office.call("getBudget", { params: { id: original.id } })).budget;
    const { budget: copy } = await office.call("copyBudget", { params: { id: original.id }, body: { fiscalYear: 2028, adjustBps: 300 } });
    expect(copy).toMatchObject({ propertyId, name: original.name, fiscalYear: 2028, startMonth: 7, basis: "cash", status: "draft" });
    expect(copy.lines.map(({ categoryId, amountsCents, note }) => [categoryId, amountsCents[0], note])).toEqual([
      [accounts["4000"], 155, "Leases"],
      [accounts["5000"], -155, null],
    ]);
    expect(copy.lines.map(({ id }) => id).filter((id) => original.lines.some((line) => line.id === id))).toEqual([]);
    expect((await office.call("getBudget", { params: { id: original.id } })).budget).toEqual(before);
  });

  test("refuses an adjustment that exceeds the largest supported amount", async () => {
    const { id } = await aBudget(office, { lines: [{ ...lineOf("4000", 0), amountsCents: [Number.MAX_SAFE_INTEGER, ...Array(11).fill(0)] }] });
    const { status, body } = await office.attempt("copyBudget", { params: { id }, body: { fiscalYear: 2027, adjustBps: 1 } });
    expect([status, body.errors]).toMatchObject([400, [{ path: "adjustBps", code: "sum_exceeded" }]]);
    expect((await office.attempt("copyBudget", { params: { id }, body: { fiscalYear: 2027 } })).status).toBe(200);
  });
});

describe("deleteBudget", () => {
  test("deletes once", async () => {
    const { id } = await aBudget(office);
    const { budget } = await office.call("deleteBudget", { params: { id } });
    expect(budget.deletedAt).not.toBeNull();
    for (const response of [
      await office.attempt("deleteBudget", { params: { id } }),
      await update(id, {}),
      await office.attempt("getBudget", { params: { id } }),
    ])
      expect(response.status).toBe(404);
  });
});
