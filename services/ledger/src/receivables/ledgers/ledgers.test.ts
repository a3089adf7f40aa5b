import { beforeAll, describe, expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { aCharge, aPayment, aTenancy, type Tenancy } from "../../../../../test/support/tenancy.ts";
import { eventually } from "../../../../../test/support/eventually.ts";

let office: Office;

beforeAll(async () => {
  office = await anOffice();
});

const readLeaseLedger = (id: string, query: object = {}) => office.call("listLeaseLedger", { params: { id }, query: { to: "2199-12-31", ...query } });
const readTenantLedger = (id: string, query: object = {}) => office.call("listTenantLedger", { params: { id }, query: { to: "2199-12-31", ...query } });
type Ledger = Awaited<ReturnType<typeof readLeaseLedger>>;
const summaries = ({ entries }: Ledger) =>
  entries.map(({ date, kind, debitCents, creditCents, balanceCents }) => [date, kind, debitCents - creditCents, balanceCents]);

const charge = async ({ leaseId }: Tenancy, amountCents: number, dueDate: string) =>
  (await office.call("createCharge", { body: { leaseId, amountCents, dueDate, chargeType: "rent" } })).charge.id;
const pay = async (
  tenancy: Tenancy,
  amountCents: number,
  receivedOn: string,
  allocations: { chargeId: string; amountCents: number }[] = [],
  change: object = {},
) =>
  (await office.call("recordPayment", { body: { ...aPayment(tenancy, amountCents), allocations, receivedAt: `${receivedOn}T15:00:00.000Z`, ...change } }))
    .payment;

describe("the ledger of a lease", () => {
  test("lists charges, payments and reversals by date with a running balance", async () => {
    const tenancy = await aTenancy(office);
    const january = await charge(tenancy, 1_000, "2026-01-01");
    const february = await charge(tenancy, 1_000, "2026-02-01");
    const payment = await pay(tenancy, 1_500, "2026-01-03", [{ chargeId: january, amountCents: 1_000 }]);
    await office.call("allocatePayment", { params: { id: payment.id }, body: { allocations: [{ chargeId: february, amountCents: 500 }] } });
    await office.call("reversePayment", { params: { id: payment.id }, body: { reason: "nsf", reversedAt: "2026-02-10T15:00:00.000Z" } });
    const ledger = await readLeaseLedger(tenancy.leaseId);
    expect(summaries(ledger)).toEqual([
      ["2026-01-01", "charge", 1_000, 1_000],
      ["2026-01-03", "payment", -1_500, -500],
      ["2026-02-01", "charge", 1_000, 500],
      ["2026-02-10", "reversal", 1_500, 2_000],
    ]);
    expect([ledger.total, ledger.openingBalanceCents, ledger.closingBalanceCents]).toEqual([4, 0, 2_000]);
    expect(ledger.entries.map(({ chargeId, paymentId }) => [chargeId, paymentId])).toEqual([
      [january, null],
      [null, payment.id],
      [february, null],
      [null, payment.id],
    ]);
    const { lease } = await office.call("getLease", { params: { id: tenancy.leaseId } });
    expect(lease.balanceCents).toBe(2_000);
  });

  test("starts with the balance before its first date and pages in both directions", async () => {
    const tenancy = await aTenancy(office);
    for (const month of ["01", "02", "03", "04"]) await charge(tenancy, 100, `2026-${month}-01`);
    const februaryAndMarch = await readLeaseLedger(tenancy.leaseId, { from: "2026-02-01", to: "2026-03-31" });
    expect(summaries(februaryAndMarch)).toEqual([
      ["2026-02-01", "charge", 100, 200],
      ["2026-03-01", "charge", 100, 300],
    ]);
    expect([februaryAndMarch.openingBalanceCents, februaryAndMarch.closingBalanceCents, februaryAndMarch.total]).toEqual([100, 300, 2]);
    const latest = await readLeaseLedger(tenancy.leaseId, { sortDirection: "desc", pageSize: 3 });
    expect([latest.total, latest.totalPages, summaries(latest).map(([date]) => date)]).toEqual([4, 2, ["2026-04-01", "2026-03-01", "2026-02-01"]]);
    const pastLastPage = await readLeaseLedger(tenancy.leaseId, { page: 9 });
    expect([pastLastPage.entries, pastLastPage.total, pastLastPage.closingBalanceCents]).toEqual([[], 4, 400]);
  });

  test("ends at `asOf`, or at today, and names the day", async () => {
    const tenancy = await aTenancy(office);
    for (const month of ["01", "02"]) await charge(tenancy, 100, `2026-${month}-01`);
    const january = await readLeaseLedger(tenancy.leaseId, { asOf: "2026-01-31" });
    expect([january.asOf, january.total, january.closingBalanceCents]).toEqual(["2026-01-31", 1, 100]);
    const { asOf } = await office.call("listLeaseLedger", { params: { id: tenancy.leaseId }, query: {} });
    expect(asOf).toBe((await office.call("getTrialBalance", { query: {} })).trialBalance.asOf);
    const property = await office.call("listPropertyLedger", { params: { id: tenancy.propertyId }, query: { to: "2026-12-31", asOf: "2026-01-31" } });
    expect([property.asOf, property.total]).toEqual(["2026-01-31", 2]);
  });

  test("refuses a start after its last date", async () => {
    const { leaseId, propertyId } = await aTenancy(office);
    const after = { path: "from", code: "before_start" };
    const explicit = await office.attempt("listLeaseLedger", { params: { id: leaseId }, query: { from: "2026-02-01", to: "2026-01-31" } });
    expect([explicit.status, explicit.body.errors?.[0]]).toEqual([400, expect.objectContaining(after)]);
    for (const [operation, id] of [
      ["listLeaseLedger", leaseId],
      ["listPropertyLedger", propertyId],
    ] as const) {
      const { status, body } = await office.attempt(operation, { params: { id }, query: { from: "2199-01-01" } });
      expect([status, body.errors?.[0]]).toEqual([400, expect.objectContaining(after)]);
    }
  });

  test("shows which charges a payment settles and which payments settle a charge", async () => {
    const tenancy = await aTenancy(office);
    const chargeId = await aCharge(office, tenancy.leaseId, 700);
    const { id: paymentId } = await pay(tenancy, 900, "2026-01-05", [{ chargeId, amountCents: 700 }]);
    const { entries } = await readLeaseLedger(tenancy.leaseId);
    const allocation = { chargeId, paymentId, amountCents: 700 };
    expect(entries.map(({ kind, allocations }) => [kind, allocations])).toEqual([
      ["charge", [expect.objectContaining(allocation)]],
      ["payment", [expect.objectContaining(allocation)]],
    ]);
  });

  test("shows the allocations of its last date: none before the receipt, and one that was removed later", async () => {
    const tenancy = await aTenancy(office);
    const chargeId = await charge(tenancy, 1_000, "2026-01-01");
    const { id, allocations } = await pay(tenancy, 600, "2026-01-15", [{ chargeId, amountCents: 600 }]);
    const readAllocated = async (query: { asOf: string; ledgerVersion?: number }) => {
      const { entries, ledgerVersion } = await office.call("listLeaseLedger", { params: { id: tenancy.leaseId }, query });
      const allocated = entries.map((entry) => [entry.balanceCents, entry.allocations.reduce((sum, { amountCents }) => sum + amountCents, 0)]);
      return { allocated, ledgerVersion };
    };
    const unpaid = [[1_000, 0]];
    const paid = [
      [1_000, 600],
      [400, 600],
    ];
    const { allocated, ledgerVersion } = await readAllocated({ asOf: "2026-01-10" });
    expect(allocated).toEqual(unpaid);
    await office.call("deletePaymentAllocation", { params: { id, allocationId: allocations[0]!.id } });
    for (const version of [{}, { ledgerVersion }]) {
      expect((await readAllocated({ asOf: "2026-01-10", ...version })).allocated).toEqual(unpaid);
      expect((await readAllocated({ asOf: "2026-01-20", ...version })).allocated).toEqual(paid);
    }
    expect((await readAllocated({ asOf: "2099-12-31" })).allocated.map(([, cents]) => cents)).toEqual([0, 0]);
    expect((await readAllocated({ asOf: "2099-12-31", ledgerVersion })).allocated).toEqual(paid);
  });

  test("nets a voided charge to zero and leaves out charges that are due after its last date", async () => {
    const tenancy = await aTenancy(office);
    const voided = await charge(tenancy, 300, "2026-01-01");
    await office.call("voidCharge", { params: { id: voided }, body: { reason: "By mistake" } });
    await charge(tenancy, 400, "2199-01-01");
    const { entries, closingBalanceCents } = await office.call("listLeaseLedger", { params: { id: tenancy.leaseId }, query: {} });
    expect(entries.map(({ kind, chargeId }) => [kind, chargeId])).toEqual([
      ["charge", voided],
      ["reversal", voided],
    ]);
    expect(closingBalanceCents).toBe(0);
  });

  test("of an unknown lease is not found", async () => {
    const { status } = await office.attempt("listLeaseLedger", { params: { id: randomUUID() }, query: {} });
    expect(status).toBe(404);
  });
});

describe("a payment without a lease", () => {
  test("is in the ledger of the lease with the part that settles its charges, and in that of the tenant in full", async () => {
    const tenancy = await aTenancy(office);
    const chargeId = await charge(tenancy, 700, "2026-01-01");
    await pay(tenancy, 1_000, "2026-01-05", [{ chargeId, amountCents: 700 }], { leaseId: undefined });
    expect(summaries(await readLeaseLedger(tenancy.leaseId))).toEqual([
      ["2026-01-01", "charge", 700, 700],
      ["2026-01-05", "payment", -700, 0],
    ]);
    expect(summaries(await readTenantLedger(tenancy.tenantId))).toEqual([
      ["2026-01-01", "charge", 700, 700],
      ["2026-01-05", "payment", -1_000, -300],
    ]);
  });
});

describe("the ledger of a tenant", () => {
  test("of a co-tenant who pays for the lease shows only the credit that is left", async () => {
    const tenancy = await aTenancy(office);
    const chargeId = await charge(tenancy, 700, "2026-01-01");
    const { tenant } = await office.call("createTenant", { body: { fullName: "Cora Co-tenant" } });
    await office.call("createOccupant", { params: { leaseId: tenancy.leaseId }, body: { tenantId: tenant.id, role: "co_tenant" } });
    const payment = await pay({ ...tenancy, tenantId: tenant.id }, 1_000, "2026-01-05", [{ chargeId, amountCents: 700 }]);
    expect(summaries(await readTenantLedger(tenancy.tenantId))).toEqual([
      ["2026-01-01", "charge", 700, 700],
      ["2026-01-05", "payment", -700, 0],
    ]);
    expect(summaries(await readTenantLedger(tenant.id))).toEqual([["2026-01-05", "payment", -300, -300]]);
    expect(payment.unallocatedCents).toBe(300);
  });

  test("includes what was charged and paid by a tenant who was merged", async () => {
    const [duplicate, kept] = [await aTenancy(office), await aTenancy(office)];
    const chargeId = await charge(duplicate, 700, "2026-01-01");
    await pay(duplicate, 600, "2026-01-05", [{ chargeId, amountCents: 600 }]);
    await office.call("mergeTenants", { params: { id: kept.tenantId }, body: { duplicateTenantId: duplicate.tenantId } });

    await eventually("ledger of the survivor", async () => (await readTenantLedger(kept.tenantId)).total === 2);
    expect(summaries(await readTenantLedger(kept.tenantId))).toEqual([
      ["2026-01-01", "charge", 700, 700],
      ["2026-01-05", "payment", -600, 100],
    ]);
  });

  test("of an unknown tenant is not found", async () => {
    const { status } = await office.attempt("listTenantLedger", { params: { id: randomUUID() }, query: {} });
    expect(status).toBe(404);
  });
});
