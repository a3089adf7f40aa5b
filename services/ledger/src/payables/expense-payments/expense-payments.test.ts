import { describe, expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { findViolations } from "../../../test/invariants.queries.ts";
import { withOwnerConnection } from "../../../test/ledger.fixtures.ts";
import { aBankAccount, registerOf, subLedgersOf } from "../../trust/trust.fixtures.ts";
import { aBillPayment, aFundedProperty, anExpense, aVendor, balancesOn } from "../payables.fixtures.ts";

/** An office with two properties whose owners have 5,000 each in one operating account, and an expense of 900 and of 600. */
async function anOfficeWithBills() {
  const office = await anOffice();
  const vendorId = await aVendor(office);
  const first = await aFundedProperty(office, 5_000);
  const { bankAccountId } = first;
  const second = await aFundedProperty(office, 5_000, bankAccountId);
  const bills = [
    await anExpense(office, first.propertyId, 900, { vendorId }),
    await anExpense(office, second.propertyId, 600, { vendorId, category: "utility" }),
  ];
  const pay = (amountCents: number, allocations: [index: number, cents: number][], change: object = {}) =>
    office.attempt("recordExpensePayment", {
      body: aBillPayment(
        bankAccountId,
        amountCents,
        allocations.map(([index, cents]) => ({ expenseId: bills[index]!.id, amountCents: cents })),
        { vendorId, ...change },
      ),
    });
  const outstanding = () => Promise.all(bills.map(async ({ id }) => (await office.call("getExpense", { params: { id } })).expense.outstandingCents));
  return { office, vendorId, first, second, bankAccountId, bills, pay, outstanding };
}

const expectNoViolations = async (office: Office) => expect(await withOwnerConnection(office, findViolations)).toEqual([]);

describe("recordExpensePayment", () => {
  test("settles expenses of several properties from one account, each with the money of its property, and is the expense on the cash basis", async () => {
    const { office, vendorId, first, second, bankAccountId, bills, pay, outstanding } = await anOfficeWithBills();
    const { body } = await pay(
      1_300,
      [
        [0, 700],
        [1, 600],
      ],
      { referenceNumber: "1001" },
    );
    expect(body.expensePayment).toMatchObject({
      vendorId,
      vendor: { id: vendorId, name: "Vera Vendor" },
      amountCents: 1_300,
      allocatedCents: 1_300,
      unallocatedCents: 0,
      currency: "USD",
      status: "issued",
      referenceNumber: "1001",
      allocations: [
        { expenseId: bills[0]!.id, amountCents: 700, expense: { outstandingCents: 200 } },
        { expenseId: bills[1]!.id, amountCents: 600, expense: { outstandingCents: 0 } },
      ],
    });
    expect(await outstanding()).toEqual([200, 0]);
    expect((await subLedgersOf(office, bankAccountId)).rows).toEqual(
      expect.arrayContaining([
        ["owner", first.propertyId, null, 4_300],
        ["owner", second.propertyId, null, 4_400],
      ]),
    );
    expect((await registerOf(office, bankAccountId)).at(-1)).toEqual(["2026-01-20", "expense_payment", -1_300, 8_700]);
    expect(await balancesOn(office, "2026-01-19", { basis: "cash" })).toEqual({ "1000": 10_000, "4000": -10_000 });
    expect(await balancesOn(office, "2026-01-20", { basis: "cash" })).toEqual({ "1000": 8_700, "4000": -10_000, "5000": 700, "5010": 600 });
    expect(await balancesOn(office, "2026-01-20")).toEqual({ "1000": 8_700, "2000": -200, "4000": -10_000, "5000": 900, "5010": 600 });
    await expectNoViolations(office);
  });

  test("is refused for more than the property has in a trust account, and never from another property's money", async () => {
    const { office, first, bankAccountId, pay, outstanding } = await anOfficeWithBills();
    const large = await anExpense(office, first.propertyId, 5_001);
    const refused = { status: 409, body: { code: "insufficient_trust_funds" } };
    const payLarge = (amountCents: number) =>
      office.attempt("recordExpensePayment", { body: aBillPayment(bankAccountId, amountCents, [{ expenseId: large.id, amountCents }]) });
    expect(await payLarge(5_001)).toMatchObject(refused);
    expect(await pay(10, [])).toMatchObject(refused);
    expect(await outstanding()).toEqual([900, 600]);
    expect((await payLarge(5_000)).status).toBe(200);
    expect(await pay(1, [[0, 1]])).toMatchObject(refused);
    expect((await pay(600, [[1, 600]])).status).toBe(200);
    await expectNoViolations(office);
  });

  test("is paid from a business account whatever it holds", async () => {
    const { office, pay } = await anOfficeWithBills();
    expect((await pay(900, [[0, 900]], { bankAccountId: await aBankAccount(office, "business") })).status).toBe(200);
  });

  test("settles an expense that is incurred later with money of its property on the day of the payment, on the cash basis, too", async () => {
    const { office, first, bankAccountId } = await anOfficeWithBills();
    const later = await anExpense(office, first.propertyId, 400, { incurredOn: "2026-02-05", category: "insurance" });
    await office.call("recordExpensePayment", { body: aBillPayment(bankAccountId, 400, [{ expenseId: later.id, amountCents: 400 }]) });
    const payable = async (day: string) => (await balancesOn(office, day, { propertyId: first.propertyId }))["2000"] ?? 0;
    expect([await payable("2026-01-19"), await payable("2026-01-20"), await payable("2026-02-05")]).toEqual([-900, -500, -900]);
    expect((await balancesOn(office, "2026-01-20", { propertyId: first.propertyId, basis: "cash" }))["5030"]).toBe(400);
    expect((await subLedgersOf(office, bankAccountId, "2026-01-20")).rows).toContainEqual(["owner", first.propertyId, null, 4_600]);
    await expectNoViolations(office);
  });

  test("is refused when the property lacks the money on any later day, although it has it in the end", async () => {
    const { office, first, bankAccountId } = await anOfficeWithBills();
    const pay = async (amountCents: number, paidAt: string) => {
      const { id } = await anExpense(office, first.propertyId, amountCents);
      return office.attempt("recordExpensePayment", { body: aBillPayment(bankAccountId, amountCents, [{ expenseId: id, amountCents }], { paidAt }) });
    };
    expect((await pay(5_000, "2026-01-20T17:00:00.000Z")).status).toBe(200);
    const body = { kind: "interest" as const, amountCents: 3_000, occurredOn: "2026-02-06", propertyId: first.propertyId };
    await office.call("createBankAdjustment", { params: { id: bankAccountId }, body });
    expect(await pay(1_000, "2026-01-10T17:00:00.000Z")).toMatchObject({ status: 409, body: { code: "insufficient_trust_funds" } });
    expect((await pay(1_000, "2026-02-06T17:00:00.000Z")).status).toBe(200);
  });

  test("names an allocation of too much, to an unknown expense or one of another vendor, twice to one, and a sum above the payment", async () => {
    const { office, bankAccountId, bills, pay } = await anOfficeWithBills();
    const errors = async (...args: Parameters<typeof pay>) => (await pay(...args)).body.errors?.map(({ path, code }) => [path, code]);
    expect(await errors(1_000, [[0, 901]])).toEqual([["allocations.0.amountCents", "sum_exceeded"]]);
    expect(await errors(100, [[0, 101]])).toEqual([["allocations", "sum_exceeded"]]);
    expect(
      await errors(100, [
        [0, 10],
        [0, 10],
      ]),
    ).toEqual([["allocations", "unique"]]);
    expect(await errors(100, [], { allocations: [{ expenseId: randomUUID(), amountCents: 1 }] })).toEqual([["allocations.0.expenseId", "not_found"]]);
    expect(await errors(100, [[0, 10]], { vendorId: await aVendor(office, "Another") })).toEqual([["allocations.0.expenseId", "mismatch"]]);
    expect(await errors(100, [], { vendorId: randomUUID() })).toEqual([["vendorId", "not_found"]]);
    expect(await errors(100, [], { bankAccountId: randomUUID() })).toEqual([["bankAccountId", "not_found"]]);
    await office.call("voidExpense", { params: { id: bills[0]!.id }, body: {} });
    expect(await pay(10, [[0, 10]])).toMatchObject({ status: 409, body: { code: "invalid_transition" } });
    expect((await registerOf(office, bankAccountId)).length).toBe(2);
  });

  test("with one idempotency key takes effect once", async () => {
    const { office, bills, bankAccountId } = await anOfficeWithBills();
    const body = aBillPayment(bankAccountId, 900, [{ expenseId: bills[0]!.id, amountCents: 900 }]);
    const headers = { "Idempotency-Key": randomUUID() };
    const [one, two] = [await office.attempt("recordExpensePayment", { body, headers }), await office.attempt("recordExpensePayment", { body, headers })];
    expect([one.status, two.status, two.body.expensePayment.id]).toEqual([200, 200, one.body.expensePayment.id]);
    expect((await office.call("listExpensePayments")).total).toBe(1);
  });
});

describe("listExpensePayments", () => {
  test("filters and sorts as the specification says", async () => {
    const { office, vendorId, bills, pay } = await anOfficeWithBills();
    const first = (await pay(900, [[0, 900]], { referenceNumber: "CHK-77" })).body.expensePayment;
    const second = (await pay(100, [[1, 100]], { paidAt: "2026-02-20T17:00:00.000Z", status: "pending", paymentMethod: "ach" })).body.expensePayment;
    const ids = async (query: Record<string, string>) => (await office.call("listExpensePayments", { query })).expensePayments.map(({ id }) => id);
    expect(await ids({})).toEqual([second.id, first.id]);
    expect(await ids({ sortBy: "amountCents", sortDirection: "asc" })).toEqual([second.id, first.id]);
    expect(await ids({ status: "pending" })).toEqual([second.id]);
    expect(await ids({ expenseId: bills[0]!.id })).toEqual([first.id]);
    expect(await ids({ search: "chk-77" })).toEqual([first.id]);
    expect(await ids({ vendorId, paidAfter: "2026-02-20", paidBefore: "2026-02-20" })).toEqual([second.id]);
    for (const sortBy of ["vendorName", "paymentMethod", "status", "createdAt"]) expect((await ids({ sortBy })).length).toBe(2);
  });
});

describe("allocateExpensePayment", () => {
  test("settles expenses with unallocated money, which becomes that of their properties, and gives it back", async () => {
    const { office, first, bankAccountId, bills, pay, outstanding } = await anOfficeWithBills();
    await office.call("createBankAdjustment", { params: { id: bankAccountId }, body: { kind: "interest", amountCents: 1_000, occurredOn: "2026-01-15" } });
    const { id } = (await pay(800, [])).body.expensePayment;
    const manager = async () => (await subLedgersOf(office, bankAccountId)).rows.find(([kind]) => kind === "manager")?.[3];
    expect(await manager()).toBe(200);
    const before = await balancesOn(office, "2199-12-31");
    const allocate = (amountCents: number) =>
      office.attempt("allocateExpensePayment", { params: { id }, body: { allocations: [{ expenseId: bills[0]!.id, amountCents }] } });
    expect(await allocate(801)).toMatchObject({ status: 400, body: { errors: [{ path: "allocations", code: "sum_exceeded" }] } });
    const { body } = await allocate(500);
    expect(body.expensePayment).toMatchObject({ allocatedCents: 500, unallocatedCents: 300 });
    expect([await manager(), await outstanding()]).toEqual([700, [400, 600]]);
    expect((await balancesOn(office, "2026-01-20", { propertyId: first.propertyId, basis: "cash" }))["5000"]).toBe(500);
    const remove = () => office.attempt("deleteExpensePaymentAllocation", { params: { id, allocationId: body.expensePayment.allocations[0]!.id } });
    expect(await remove()).toMatchObject({ status: 200, body: { expensePayment: { allocatedCents: 0, unallocatedCents: 800, allocations: [] } } });
    expect(await remove()).toMatchObject({ status: 404, body: { code: "not_found" } });
    expect([await manager(), await outstanding(), await balancesOn(office, "2199-12-31")]).toEqual([200, [900, 600], before]);
    await expectNoViolations(office);
  });
});

describe("a pending payment", () => {
  test("is issued, or fails and leaves its expenses owed", async () => {
    const { office, bankAccountId, pay, outstanding } = await anOfficeWithBills();
    const before = await balancesOn(office, "2199-12-31");
    const { id } = (await pay(900, [[0, 900]], { status: "pending" })).body.expensePayment;
    expect(await outstanding()).toEqual([0, 600]);
    const act = (operation: "issueExpensePayment" | "failExpensePayment", payment = id) => office.attempt(operation, { params: { id: payment } });
    expect(await act("failExpensePayment")).toMatchObject({
      status: 200,
      body: { expensePayment: { status: "failed", unallocatedCents: 0, allocations: [] } },
    });
    expect(await act("issueExpensePayment")).toMatchObject({ status: 409, body: { code: "invalid_transition" } });
    expect([await outstanding(), await balancesOn(office, "2199-12-31")]).toEqual([[900, 600], before]);
    const other = (await pay(600, [[1, 600]], { status: "pending" })).body.expensePayment;
    expect(await act("issueExpensePayment", other.id)).toMatchObject({ status: 200, body: { expensePayment: { status: "issued" } } });
    expect((await act("failExpensePayment", other.id)).status).toBe(409);
    expect((await subLedgersOf(office, bankAccountId)).totals).toEqual([9_400, 9_400, 0]);
    await expectNoViolations(office);
  });
});

describe("voidExpensePayment", () => {
  test("undoes the payment with its later allocations in every account, once", async () => {
    const { office, bills, pay, outstanding } = await anOfficeWithBills();
    const before = [await balancesOn(office, "2199-12-31"), await balancesOn(office, "2199-12-31", { basis: "cash" })];
    const { id, allocations } = (
      await pay(1_500, [
        [0, 900],
        [1, 600],
      ])
    ).body.expensePayment;
    const remove = () => office.attempt("deleteExpensePaymentAllocation", { params: { id, allocationId: allocations[0]!.id } });
    // Unallocated money would be that of the management company, which has none in the account.
    expect(await remove()).toMatchObject({ status: 409, body: { code: "insufficient_trust_funds" } });
    const attempt = () => office.attempt("voidExpensePayment", { params: { id }, body: { reason: "never cashed" } });
    expect(await attempt()).toMatchObject({ status: 200, body: { expensePayment: { status: "voided", voidReason: "never cashed", unallocatedCents: 0 } } });
    expect(await attempt()).toMatchObject({ status: 409, body: { code: "invalid_transition" } });
    expect(await remove()).toMatchObject({ status: 404, body: { code: "not_found" } });
    expect(
      await office.attempt("allocateExpensePayment", { params: { id }, body: { allocations: [{ expenseId: bills[0]!.id, amountCents: 1 }] } }),
    ).toMatchObject({
      status: 409,
    });
    expect(await outstanding()).toEqual([900, 600]);
    expect([await balancesOn(office, "2199-12-31"), await balancesOn(office, "2199-12-31", { basis: "cash" })]).toEqual(before);
    await expectNoViolations(office);
  });
});

describe("concurrent payments", () => {
  test("of one expense settle it once, and of one property's money spend it once", async () => {
    const { office, first, bankAccountId, pay, outstanding } = await anOfficeWithBills();
    const settled = await Promise.all(Array.from({ length: 6 }, () => pay(900, [[0, 900]])));
    expect(settled.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 400, 400, 400, 400, 400]);
    const others = await Promise.all([1, 2, 3].map(() => anExpense(office, first.propertyId, 3_000)));
    const spent = await Promise.all(
      others.map(({ id }) => office.attempt("recordExpensePayment", { body: aBillPayment(bankAccountId, 3_000, [{ expenseId: id, amountCents: 3_000 }]) })),
    );
    expect(spent.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 409, 409]);
    expect(await outstanding()).toEqual([0, 600]);
    await expectNoViolations(office);
  });
});

describe("updateExpensePayment", () => {
  test("changes only memo and reference number", async () => {
    const { office, pay } = await anOfficeWithBills();
    const { id } = (await pay(900, [[0, 900]])).body.expensePayment;
    const { expensePayment } = await office.call("updateExpensePayment", { params: { id }, body: { memo: "January", referenceNumber: null } });
    expect(expensePayment).toMatchObject({ memo: "January", referenceNumber: null });
    expect((await office.attempt("updateExpensePayment", { params: { id }, body: { amountCents: 1 } as never })).status).toBe(400);
  });
});
