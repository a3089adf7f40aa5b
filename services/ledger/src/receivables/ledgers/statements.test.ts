import { beforeAll, describe, expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { aPayment, aTenancy, type Tenancy } from "../../../../../test/support/tenancy.ts";

let office: Office;
let tenancy: Tenancy;

/** A lease with a rent of 1000 in January and in February, each paid on the third, and a fee of 50 in February that is waived in part. */
beforeAll(async () => {
  office = await anOffice();
  tenancy = await aTenancy(office);
  for (const month of ["01", "02"]) {
    const chargeId = await charge(1_000, `2026-${month}-01`);
    const payment = { ...aPayment(tenancy, 1_000), receivedAt: `2026-${month}-03T15:00:00.000Z`, allocations: [{ chargeId, amountCents: 1_000 }] };
    await office.call("recordPayment", { body: payment });
  }
  const fee = await charge(50, "2026-02-10");
  await office.call("creditCharge", { params: { id: fee }, body: { amountCents: 20, reason: "waive", creditedOn: "2026-02-12" } });
  await charge(1_000, "2026-03-01");
});

const charge = async (amountCents: number, dueDate: string) =>
  (await office.call("createCharge", { body: { leaseId: tenancy.leaseId, amountCents, dueDate, chargeType: "rent" } })).charge.id;
const february = { from: "2026-02-01", to: "2026-02-28" };

describe("the statement of a lease", () => {
  test("shows the balances and all entries between two dates", async () => {
    const { statement } = await office.call("getLeaseStatement", { params: { id: tenancy.leaseId }, query: february });
    expect(statement).toMatchObject({
      leaseId: tenancy.leaseId,
      tenantId: tenancy.tenantId,
      ...february,
      openingBalanceCents: 0,
      debitTotalCents: 1_050,
      creditTotalCents: 1_020,
      closingBalanceCents: 30,
    });
    expect(statement.entries.map(({ date, kind, debitCents, creditCents, balanceCents }) => [date, kind, debitCents - creditCents, balanceCents])).toEqual([
      ["2026-02-01", "charge", 1_000, 1_000],
      ["2026-02-03", "payment", -1_000, 0],
      ["2026-02-10", "charge", 50, 50],
      ["2026-02-12", "credit", -20, 30],
    ]);
  });

  test("as CSV has the same entries between the opening and the closing balance", async () => {
    const { headers, text } = await office.attempt("getLeaseStatement", { params: { id: tenancy.leaseId }, query: { ...february, format: "csv" } });
    expect(headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(headers.get("content-disposition")).toMatch(/^attachment; filename="statement-2026-02-01-2026-02-28-v\d+\.csv"$/);
    const rows = text.replace("\uFEFF", "").trim().split("\r\n");
    expect(rows.map((row) => row.split(",").slice(0, 6).join(","))).toEqual([
      "date,kind,description,debitCents,creditCents,balanceCents",
      "2026-02-01,balance,Opening balance,,,0",
      "2026-02-01,charge,Rent,1000,0,1000",
      expect.stringMatching(/^2026-02-03,payment,Payment from .*,0,1000,0$/),
      "2026-02-10,charge,Rent,50,0,50",
      expect.stringMatching(/^2026-02-12,credit,.*,0,20,30$/),
      "2026-02-28,balance,Closing balance,,,30",
    ]);
  });

  test.each([
    ["text/csv", undefined, "text/csv"],
    ["application/json, text/plain, */*", undefined, "application/json"],
    ["text/csv;q=0.5, application/json", undefined, "application/json"],
    ["text/csv", "json", "application/json"],
    ["application/json", "csv", "text/csv"],
    ["application/pdf", undefined, "application/pdf"],
    ["application/pdf;q=0.5, text/csv;q=0.7", undefined, "text/csv"],
    ["text/csv", "pdf", "application/pdf"],
  ] as const)("with Accept: %s and format=%s is %s", async (accept, format, type) => {
    const query = { ...february, ...(format && { format }) };
    const { headers } = await office.attempt("getLeaseStatement", { params: { id: tenancy.leaseId }, query, headers: { Accept: accept } });
    expect(headers.get("content-type")!.split(";")[0]).toBe(type);
  });

  test("is refused when the last date is before the first, and for an unknown lease", async () => {
    const reversed = await office.attempt("getLeaseStatement", { params: { id: tenancy.leaseId }, query: { from: "2026-02-02", to: "2026-02-01" } });
    expect([reversed.status, reversed.body.errors?.[0]]).toEqual([400, expect.objectContaining({ path: "to", code: "before_start" })]);
    expect((await office.attempt("getLeaseStatement", { params: { id: randomUUID() }, query: february })).status).toBe(404);
  });

  test("clamps balances and totals beyond the safe integers", async () => {
    const { leaseId } = await aTenancy(office);
    const charges = [1, 2].map(() => ({ leaseId, amountCents: Number.MAX_SAFE_INTEGER, dueDate: "2026-01-01", chargeType: "rent" }));
    await office.call("createCharges", { body: { charges } as never });
    const { statement } = await office.call("getLeaseStatement", { params: { id: leaseId }, query: { from: "2026-01-01", to: "2026-01-31" } });
    expect(statement.entries.map(({ balanceCents }) => balanceCents)).toEqual([Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]);
    expect([statement.debitTotalCents, statement.closingBalanceCents]).toEqual([Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]);
  });
});

describe("the ledger of a property", () => {
  test("lists its lines with the balance of each account", async () => {
    const query = { from: "2026-02-01", to: "2026-02-28", pageSize: 100 };
    const ledger = await office.call("listPropertyLedger", { params: { id: tenancy.propertyId }, query });
    expect(new Set(ledger.entries.map(({ propertyId }) => propertyId))).toEqual(new Set([tenancy.propertyId]));
    const receivable = ledger.entries.filter(({ accountCode }) => accountCode === "1100");
    expect(receivable.map(({ date, debitCents, creditCents, balanceCents }) => [date, debitCents - creditCents, balanceCents])).toEqual([
      ["2026-02-01", 1_000, 1_000],
      ["2026-02-03", -1_000, 0],
      ["2026-02-10", 50, 50],
      ["2026-02-12", -20, 30],
    ]);
    expect([ledger.openingBalanceCents, ledger.closingBalanceCents]).toEqual([0, 0]);
  });

  test("starts by default on January 1 of the year of its last date, and is not found for an unknown property", async () => {
    const { entries } = await office.call("listPropertyLedger", { params: { id: tenancy.propertyId }, query: { to: "2026-01-31" } });
    expect(entries.map(({ date }) => date)).toEqual(["2026-01-01", "2026-01-01", "2026-01-03", "2026-01-03"]);
    expect((await office.attempt("listPropertyLedger", { params: { id: randomUUID() }, query: {} })).status).toBe(404);
  });
});

describe("the charges and payments of a tenant", () => {
  test("are those of the tenant, filtered by status", async () => {
    const other = await aTenancy(office);
    await office.call("createCharge", { body: { leaseId: other.leaseId, amountCents: 9, dueDate: "2026-02-01", chargeType: "rent" } });
    const { charges, total } = await office.call("listTenantCharges", { params: { id: tenancy.tenantId }, query: { sortDirection: "asc" } });
    expect([total, charges.map(({ dueDate, balanceCents }) => `${dueDate} ${balanceCents}`)]).toEqual([
      4,
      ["2026-01-01 0", "2026-02-01 0", "2026-02-10 30", "2026-03-01 1000"],
    ]);
    const open = await office.call("listTenantCharges", { params: { id: tenancy.tenantId }, query: { status: "pending" as never } });
    expect(open.charges.map(({ dueDate }) => dueDate)).toEqual(["2026-03-01"]);
    const { payments } = await office.call("listTenantPayments", { params: { id: tenancy.tenantId }, query: {} });
    expect(payments.map(({ tenantId, amountCents }) => [tenantId, amountCents])).toEqual(Array(2).fill([tenancy.tenantId, 1_000]));
    for (const id of ["listTenantCharges", "listTenantPayments"] as const)
      expect((await office.attempt(id, { params: { id: randomUUID() }, query: {} })).status).toBe(404);
  });
});

describe("the statement of a tenant", () => {
  test("covers the charges and payments of all leases", async () => {
    const { statement } = await office.call("getTenantStatement", { params: { id: tenancy.tenantId }, query: { from: "2026-01-01", to: "2026-03-31" } });
    expect(statement).toMatchObject({ leaseId: null, tenantId: tenancy.tenantId, openingBalanceCents: 0, closingBalanceCents: 1_030 });
    expect(statement.entries).toHaveLength(7);
  });

  test("of an unknown tenant is not found", async () => {
    expect((await office.attempt("getTenantStatement", { params: { id: randomUUID() }, query: february })).status).toBe(404);
  });
});
