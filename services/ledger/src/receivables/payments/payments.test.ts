import { beforeAll, describe, expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { aCharge, aPayment, aTenancy, closingBalances, type Tenancy } from "../../../../../test/support/tenancy.ts";

let office: Office;
let tenancy: Tenancy;

beforeAll(async () => {
  office = await anOffice();
  tenancy = await aTenancy(office);
});

describe("recordPayment", () => {
  test("records credit when nothing is allocated", async () => {
    const { payment } = await office.call("recordPayment", { body: { ...aPayment(tenancy, 500), checkNumber: "1001" } });
    expect(payment).toMatchObject({
      amountCents: 500,
      unallocatedCents: 500,
      status: "received",
      checkNumber: "1001",
      allocations: [],
      tenant: { fullName: "Tess Tenant" },
      unit: { unitNumber: "1" },
    });
    const { payment: read } = await office.call("getPayment", { params: { id: payment.id } });
    expect(read).toEqual(payment);
  });

  test("allocates to the given charges, and the rest is credit", async () => {
    const chargeId = await aCharge(office, tenancy.leaseId, 700);
    const { payment } = await office.call("recordPayment", { body: { ...aPayment(tenancy, 1_000), allocations: [{ chargeId, amountCents: 300 }] } });
    expect(payment).toMatchObject({
      unallocatedCents: 700,
      allocations: [{ chargeId, amountCents: 300, charge: { status: "partially_paid", balanceCents: 400 } }],
    });
    const { charge, allocations } = await office.call("getCharge", { params: { id: chargeId } });
    expect(charge).toMatchObject({ allocatedCents: 300, balanceCents: 400, status: "partially_paid" });
    expect(allocations).toMatchObject([{ paymentId: payment.id, amountCents: 300 }]);
  });

  test("refuses allocations larger than the payment, naming the field", async () => {
    const chargeId = await aCharge(office, tenancy.leaseId, 700);
    const { status, body } = await office.attempt("recordPayment", { body: { ...aPayment(tenancy, 100), allocations: [{ chargeId, amountCents: 101 }] } });
    expect(status).toBe(400);
    expect(body.errors).toMatchObject([{ path: "allocations", code: "sum_exceeded" }]);
  });

  test("refuses more than the balance of a charge, without posting anything", async () => {
    const balancesBefore = await closingBalances(office);
    const chargeId = await aCharge(office, tenancy.leaseId, 700);
    const payment = { ...aPayment(tenancy, 1_000), allocations: [{ chargeId, amountCents: 701 }] };
    const { status, body } = await office.attempt("recordPayment", { body: payment });
    expect([status, body.errors?.[0]?.path]).toEqual([400, "allocations.0.amountCents"]);
    expect(await closingBalances(office)).toMatchObject({ "1050": balancesBefore["1050"] });
    const corrected = await office.attempt("recordPayment", { body: { ...payment, allocations: [{ chargeId, amountCents: 700 }] } });
    expect(corrected.status).toBe(200);
  });

  test("refuses a charge of another lease and an unknown charge", async () => {
    const other = await aTenancy(office);
    const otherChargeId = await aCharge(office, other.leaseId, 100);
    const errorFor = async (chargeId: string) =>
      (await office.attempt("recordPayment", { body: { ...aPayment(tenancy, 100), allocations: [{ chargeId, amountCents: 100 }] } })).body.errors?.[0];
    expect(await errorFor(otherChargeId)).toMatchObject({ path: "allocations.0.chargeId", code: "mismatch" });
    expect(await errorFor(randomUUID())).toMatchObject({ path: "allocations.0.chargeId", code: "not_found" });
  });

  test("refuses a guarantor, and says who pays on the lease instead", async () => {
    const { tenant } = await office.call("createTenant", { body: { fullName: "Gus Guarantor" } });
    await office.call("createOccupant", { params: { leaseId: tenancy.leaseId }, body: { tenantId: tenant.id, role: "guarantor" } });
    const { body } = await office.attempt("recordPayment", { body: { ...aPayment(tenancy, 100), tenantId: tenant.id } });
    expect(body.errors).toMatchObject([
      { path: "tenantId", code: "mismatch", message: expect.stringMatching(/primary occupant and the co-tenants .* guarantor/) },
    ]);
  });

  test("takes money of a released co-tenant on the lease if it was received while the co-tenant lived there", async () => {
    const { tenant } = await office.call("createTenant", { body: { fullName: "Cora Co-Tenant" } });
    const { leaseId } = tenancy;
    const { occupant } = await office.call("createOccupant", {
      params: { leaseId },
      body: { tenantId: tenant.id, role: "co_tenant", moveInDate: "2026-02-01" },
    });
    await office.call("releaseOccupant", { params: { id: occupant.id }, body: { releasedOn: "2026-03-01" } });
    const statusOn = async (receivedAt: string) =>
      (await office.attempt("recordPayment", { body: { ...aPayment({ leaseId, tenantId: tenant.id }, 100), receivedAt } })).status;
    // Days begin at 05:00 UTC in New York.
    expect(await statusOn("2026-02-01T04:59:59.000Z")).toBe(400);
    expect(await statusOn("2026-02-01T05:00:00.000Z")).toBe(200);
    expect(await statusOn("2026-03-01T04:59:59.000Z")).toBe(200);
    expect(await statusOn("2026-03-01T05:00:00.000Z")).toBe(400);
  });

  test("refuses a tenant who is not on the lease, and unknown tenants and leases", async () => {
    const other = await aTenancy(office);
    const errorFor = async (change: object) => (await office.attempt("recordPayment", { body: { ...aPayment(tenancy, 100), ...change } })).body.errors?.[0];
    expect(await errorFor({ tenantId: other.tenantId })).toMatchObject({ path: "tenantId", code: "mismatch" });
    expect(await errorFor({ tenantId: randomUUID() })).toMatchObject({ path: "tenantId", code: "not_found" });
    expect(await errorFor({ leaseId: randomUUID() })).toMatchObject({ path: "leaseId", code: "not_found" });
  });

  test.each([
    ["amountCents", 0, 400],
    ["amountCents", 1, 200],
    ["amountCents", 9_007_199_254_740_991, 200],
    ["amountCents", 9_007_199_254_740_992, 400],
    ["amountCents", 1.5, 400],
    ["idempotencyKey", "", 400],
    ["idempotencyKey", "k".repeat(256), 400],
    ["paymentMethod", "gold", 400],
    ["receivedAt", "2026-02-29T10:00:00Z", 400],
    ["receivedAt", "2026-01-05", 400],
    ["checkNumber", "", 400],
    ["unknownMember", 1, 400],
  ])("with %s = %p returns %i", async (field, value, expected) => {
    const newOffice = await anOffice();
    const { status, body } = await newOffice.attempt("recordPayment", { body: { ...aPayment(await aTenancy(newOffice), 100), [field]: value } });
    expect(status).toBe(expected);
    if (expected === 400) expect(body.errors?.[0]?.path).toBe(field);
  });

  test("with autoAllocate allocates oldest first, rent before fees on the same day", async () => {
    const ownTenancy = await aTenancy(office);
    const feeChargeId = (
      await office.call("createCharge", { body: { leaseId: ownTenancy.leaseId, amountCents: 50, dueDate: "2026-02-01", chargeType: "fee" } })
    ).charge.id;
    const rentChargeId = (
      await office.call("createCharge", { body: { leaseId: ownTenancy.leaseId, amountCents: 100, dueDate: "2026-02-01", chargeType: "rent" } })
    ).charge.id;
    const oldestChargeId = (
      await office.call("createCharge", { body: { leaseId: ownTenancy.leaseId, amountCents: 30, dueDate: "2026-01-15", chargeType: "fee" } })
    ).charge.id;
    const { payment } = await office.call("recordPayment", { body: { ...aPayment(ownTenancy, 140), autoAllocate: true } });
    const allocatedCents = new Map(payment.allocations.map(({ chargeId, amountCents }) => [chargeId, amountCents as number]));
    expect(allocatedCents).toEqual(
      new Map([
        [oldestChargeId, 30],
        [rentChargeId, 100],
        [feeChargeId, 10],
      ]),
    );
  });

  test("moves the paid part of a deposit from due to held", async () => {
    const newOffice = await anOffice();
    const ownTenancy = await aTenancy(newOffice);
    const { charge } = await newOffice.call("createCharge", {
      body: { leaseId: ownTenancy.leaseId, amountCents: 1_000, dueDate: "2026-01-01", chargeType: "deposit" },
    });
    await newOffice.call("recordPayment", { body: { ...aPayment(ownTenancy, 600), allocations: [{ chargeId: charge.id, amountCents: 600 }] } });
    expect(await closingBalances(newOffice)).toMatchObject({ "1050": 600, "1100": 400, "2100": -600, "2110": -400, "4000": 0 });
  });
});

describe("recordPayment with a used idempotency key", () => {
  test("replays the first response byte for byte, even after the payment was reversed", async () => {
    const request = aPayment(tenancy, 250);
    const first = await office.attempt("recordPayment", { body: request });
    const replay = await office.attempt("recordPayment", { body: request });
    expect([replay.status, replay.text, replay.headers.get("Idempotent-Replayed")]).toEqual([200, first.text, "true"]);
    await office.call("reversePayment", { params: { id: first.body.payment.id }, body: { reason: "entry_error" } });
    expect((await office.attempt("recordPayment", { body: request })).text).toBe(first.text);
  });

  test("ignores the order of members and the format of the time", async () => {
    const request = aPayment(tenancy, 250);
    const first = await office.attempt("recordPayment", { body: request });
    const reordered = Object.fromEntries(Object.entries({ ...request, receivedAt: "2026-01-05T15:00:00Z", allocations: [] }).reverse()) as typeof request;
    expect((await office.attempt("recordPayment", { body: reordered })).text).toBe(first.text);
  });

  test.each([
    ["amountCents", 251],
    ["paymentMethod", "cash"],
    ["receivedAt", "2026-01-05T15:00:01Z"],
    ["checkNumber", "7"],
    ["autoAllocate", true],
    ["leaseId", undefined],
  ])("refuses a different %s", async (field, value) => {
    const request = aPayment(tenancy, 250);
    await office.call("recordPayment", { body: request });
    const { status, body } = await office.attempt("recordPayment", { body: { ...request, [field]: value } });
    expect([status, body.code, body.errors?.[0]?.path]).toEqual([409, "idempotency_key_reused", "idempotencyKey"]);
  });

  test("allows another organization to use the same key", async () => {
    const other = await anOffice();
    const request = aPayment(tenancy, 250);
    await office.call("recordPayment", { body: request });
    const foreign = await aTenancy(other);
    const { payment } = await other.call("recordPayment", { body: { ...aPayment(foreign, 99), idempotencyKey: request.idempotencyKey } });
    expect(payment.amountCents).toBe(99);
  });

  test("records one payment and returns equal responses for twenty concurrent requests", async () => {
    const chargeId = await aCharge(office, tenancy.leaseId, 400);
    const request = { ...aPayment(tenancy, 400), allocations: [{ chargeId, amountCents: 400 }] };
    const responses = await Promise.all(Array.from({ length: 20 }, () => office.attempt("recordPayment", { body: request })));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
    expect(responses.filter(({ headers }) => headers.get("Idempotent-Replayed") === "true")).toHaveLength(19);
    const { charge, allocations } = await office.call("getCharge", { params: { id: chargeId } });
    expect([charge.balanceCents, allocations.length]).toEqual([0, 1]);
  });
});

describe("editPayment", () => {
  test("is refused for any id and body", async () => {
    for (const id of [randomUUID(), "not-a-uuid"]) {
      const { status, body } = await office.attempt("editPayment", { params: { id }, body: "{ nonsense" as never });
      expect([status, body.code]).toEqual([409, "payment_immutable"]);
    }
  });
});

describe("allocatePayment", () => {
  test("allocates credit, all allocations or none", async () => {
    const [a, b] = [await aCharge(office, tenancy.leaseId, 100), await aCharge(office, tenancy.leaseId, 100)];
    const { payment } = await office.call("recordPayment", { body: aPayment(tenancy, 150) });
    const rejected = await office.attempt("allocatePayment", {
      params: { id: payment.id },
      body: {
        allocations: [
          { chargeId: a, amountCents: 100 },
          { chargeId: b, amountCents: 51 },
        ],
      },
    });
    expect([rejected.status, rejected.body.errors?.[0]?.path]).toEqual([400, "allocations"]);
    const { payment: allocated } = await office.call("allocatePayment", {
      params: { id: payment.id },
      body: {
        allocations: [
          { chargeId: a, amountCents: 100 },
          { chargeId: b, amountCents: 50 },
        ],
      },
    });
    expect(allocated).toMatchObject({ unallocatedCents: 0, allocations: [{ amountCents: 100 }, { amountCents: 50 }] });
  });

  test("refuses a voided charge and a reversed payment", async () => {
    const chargeId = await aCharge(office, tenancy.leaseId, 100);
    await office.call("voidCharge", { params: { id: chargeId }, body: { reason: "wrong tenant" } });
    const { payment } = await office.call("recordPayment", { body: aPayment(tenancy, 100) });
    const allocate = () => office.attempt("allocatePayment", { params: { id: payment.id }, body: { allocations: [{ chargeId, amountCents: 100 }] } });
    expect(await allocate()).toMatchObject({ status: 409, body: { code: "invalid_transition" } });
    await office.call("reversePayment", { params: { id: payment.id }, body: { reason: "other" } });
    expect(await allocate()).toMatchObject({ status: 409, body: { code: "invalid_transition" } });
  });

  test("with the same Idempotency-Key allocates once", async () => {
    const chargeId = await aCharge(office, tenancy.leaseId, 100);
    const { payment } = await office.call("recordPayment", { body: aPayment(tenancy, 100) });
    const allocate = () =>
      office.attempt("allocatePayment", {
        params: { id: payment.id },
        body: { allocations: [{ chargeId, amountCents: 60 }] },
        headers: { "Idempotency-Key": `allocate-${payment.id}` },
      });
    const responses = await Promise.all([allocate(), allocate(), allocate()]);
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
    const { charge } = await office.call("getCharge", { params: { id: chargeId } });
    expect(charge.balanceCents).toBe(40);
  });
});

describe("listPayments", () => {
  test("filters, sorts and pages", async () => {
    const newOffice = await anOffice();
    const ownTenancy = await aTenancy(newOffice);
    for (const amountCents of [300, 100, 200]) await newOffice.call("recordPayment", { body: aPayment(ownTenancy, amountCents) });
    const list = async (query: Record<string, string | number | boolean>) => {
      const { payments, total, totalPages } = await newOffice.call("listPayments", { query });
      return { amounts: payments.map(({ amountCents }) => amountCents as number), total, totalPages };
    };
    expect(await list({ sortBy: "amountCents", sortDirection: "asc" })).toEqual({ amounts: [100, 200, 300], total: 3, totalPages: 1 });
    expect(await list({ sortBy: "amountCents", sortDirection: "desc", page: 2, pageSize: 2 })).toEqual({ amounts: [100], total: 3, totalPages: 2 });
    expect(await list({ search: "tess", leaseId: ownTenancy.leaseId, unallocatedOnly: true, status: "received,pending" })).toMatchObject({ total: 3 });
    await newOffice.call("recordPayment", { body: { ...aPayment(ownTenancy, 400), checkNumber: "A_77%" } });
    expect(await list({ search: "a_77%" })).toMatchObject({ amounts: [400], total: 1 });
    expect([await list({ search: "_77" }), await list({ search: "7%" })]).toMatchObject([{ total: 1 }, { total: 1 }]);
    expect(await list({ search: "A177" })).toMatchObject({ total: 0 });
    expect(await list({ receivedAfter: "2026-01-05", receivedBefore: "2026-01-05" })).toMatchObject({ total: 4 });
    expect(await list({ receivedAfter: "2026-01-06" })).toEqual({ amounts: [], total: 0, totalPages: 1 });
  });

  test("escapes spreadsheet formulas in CSV", async () => {
    const newOffice = await anOffice();
    const ownTenancy = await aTenancy(newOffice);
    await newOffice.call("recordPayment", { body: { ...aPayment(ownTenancy, 300), checkNumber: "=1+1" } });
    const { text, headers } = await newOffice.attempt("listPayments", { headers: { Accept: "text/csv" } });
    expect(headers.get("Content-Type")).toContain("text/csv");
    expect(text.split("\r\n")[0]).toContain("amountCents");
    expect(text).toContain("'=1+1");
  });
});
