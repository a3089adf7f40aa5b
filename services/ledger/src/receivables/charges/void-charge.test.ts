import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { aCharge, aPayment, aTenancy, closingBalances, type Tenancy } from "../../../../../test/support/tenancy.ts";
import { recordEvents, type EventRecorder } from "../../../test/ledger.fixtures.ts";

let office: Office;
let tenancy: Tenancy;
let events: EventRecorder;

beforeAll(async () => {
  office = await anOffice();
  tenancy = await aTenancy(office);
  events = await recordEvents(office);
});
afterAll(() => events.close());

const attemptVoid = (id: string, headers: Record<string, string> = {}) =>
  office.attempt("voidCharge", { params: { id }, body: { reason: "a mistake" }, headers });

describe("voidCharge", () => {
  test("reverses the charge and keeps its row", async () => {
    const balancesBefore = await closingBalances(office);
    const id = await aCharge(office, tenancy.leaseId, 100);
    const { body } = await attemptVoid(id);
    expect(body.charge).toMatchObject({ status: "voided", amountCents: 100, balanceCents: 0, isOverdue: false });
    expect(body.charge.voidedAt).not.toBeNull();
    expect(await closingBalances(office)).toEqual(balancesBefore);
    expect((await office.call("getCharge", { params: { id } })).charge).toEqual(body.charge);
    expect(await events.waitForEvent("charge.voided", id)).toMatchObject({ data: { leaseId: tenancy.leaseId }, audience: { tenantIds: [tenancy.tenantId] } });
  });

  test("links the entry and its reversal", async () => {
    const ownTenancy = await aTenancy(office);
    await attemptVoid(await aCharge(office, ownTenancy.leaseId, 100));
    const { journalEntries } = await office.call("listJournalEntries", { query: { unitId: ownTenancy.unitId, sortBy: "createdAt", sortDirection: "asc" } });
    const [entry, reversal] = journalEntries;
    expect([entry, reversal]).toMatchObject([
      { source: "charge", status: "reversed", reversedById: reversal!.id },
      { source: "reversal", status: "posted", reversesId: entry!.id, memo: "Voided: Rent" },
    ]);
  });

  test("is refused while a payment is allocated to the charge, until the payment is reversed", async () => {
    const id = await aCharge(office, tenancy.leaseId, 100);
    const { payment } = await office.call("recordPayment", { body: { ...aPayment(tenancy, 100), allocations: [{ chargeId: id, amountCents: 1 }] } });
    expect(await attemptVoid(id)).toMatchObject({ status: 409, body: { code: "already_allocated" } });
    await office.call("reversePayment", { params: { id: payment.id }, body: { reason: "entry_error" } });
    expect((await attemptVoid(id)).status).toBe(200);
  });

  test("accepts one of ten concurrent requests", async () => {
    const id = await aCharge(office, tenancy.leaseId, 100);
    const responses = await Promise.all(Array.from({ length: 10 }, () => attemptVoid(id)));
    expect(responses.map(({ status, body }) => (status === 200 ? "voided" : `${status} ${body.code}`)).sort()).toEqual([
      ...Array.from({ length: 9 }, () => "409 invalid_transition"),
      "voided",
    ]);
  });

  test("concurrent with a payment leaves the charge either voided or paid", async () => {
    const charges = await Promise.all(Array.from({ length: 10 }, () => aCharge(office, tenancy.leaseId, 10)));
    const outcomes = await Promise.all(
      charges.map(async (id) => {
        const body = { ...aPayment(tenancy, 10), allocations: [{ chargeId: id, amountCents: 10 }] };
        const [paid, voided] = await Promise.all([office.attempt("recordPayment", { body }), attemptVoid(id)]);
        const { charge } = await office.call("getCharge", { params: { id } });
        return [paid.status, voided.status, charge.status].join(" ");
      }),
    );
    for (const outcome of outcomes) expect(["200 409 paid", "409 200 voided"]).toContain(outcome);
  });

  test("refuses an If-Match of another version", async () => {
    const id = await aCharge(office, tenancy.leaseId, 100);
    const { headers } = await office.attempt("getCharge", { params: { id } });
    expect(await attemptVoid(id, { "If-Match": '"99"' })).toMatchObject({ status: 412, body: { code: "version_conflict" } });
    expect((await attemptVoid(id, { "If-Match": headers.get("ETag")! })).status).toBe(200);
  });

  test("with the same Idempotency-Key replays the response", async () => {
    const id = await aCharge(office, tenancy.leaseId, 100);
    const headers = { "Idempotency-Key": randomUUID() };
    const [first, replay] = [await attemptVoid(id, headers), await attemptVoid(id, headers)];
    expect([replay.status, replay.text, replay.headers.get("Idempotent-Replayed")]).toEqual([200, first.text, "true"]);
  });

  test.each(["", " ", "r".repeat(501), undefined])("refuses the reason %p", async (reason) => {
    const { status, body } = await office.attempt("voidCharge", { params: { id: randomUUID() }, body: { reason: reason as string } });
    expect([status, body.errors?.[0]?.path]).toEqual([400, "reason"]);
  });
});
