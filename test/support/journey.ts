/** End-to-end scenario of a property manager's first quarter, from sign-up to a bounced payment, with the events it publishes. Runs against any system. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { EventType } from "@freehold/contract/events";
import { Client } from "./client.ts";
import { anEmail, anOffice, password, type Office } from "./office.ts";
import { EventReader, sequenceOf, type Frame } from "./events/stream.ts";
import { aPayment, closingBalances, type Tenancy } from "./tenancy.ts";
import { eventually } from "./eventually.ts";

let office: Office;
let tenant: Client;
/** Position in the event stream before the scenario starts. */
let startId: string;
let officeStream: EventReader;
let tenantStream: EventReader | undefined;
let lease: Tenancy;
let openCharges: { id: string; dueDate: string; balanceCents: number }[] = [];

/** Event types that scheduled jobs publish at any time or that only one user receives. Other tests cover them. */
const excludedTypes = new Set<string>(["charge.overdue", "notification.created", "recurring_charge.updated"]);
const receivedTypes = (reader: EventReader | undefined) => (reader?.events ?? []).map(({ event }) => event).filter((type) => !excludedTypes.has(type));
const expectedOffice: EventType[] = [];
const expectedTenant: EventType[] = [];

/** Expects that the office's stream has delivered exactly the events of the scenario so far, and the tenant's stream those that the tenant may see. */
async function expectEvents({ both = [], officeOnly = [] }: { both?: EventType[]; officeOnly?: EventType[] }): Promise<void> {
  expectedOffice.push(...both, ...officeOnly);
  expectedTenant.push(...both);
  await eventually("event", () =>
    Promise.resolve(
      (receivedTypes(officeStream).length >= expectedOffice.length && (!tenantStream || receivedTypes(tenantStream).length >= expectedTenant.length)) ||
        undefined,
    ),
  ).catch(() => undefined);
  expect(receivedTypes(officeStream).toSorted()).toEqual(expectedOffice.toSorted());
  if (tenantStream) expect(receivedTypes(tenantStream).toSorted()).toEqual(expectedTenant.toSorted());
}

/** Expects a balanced ledger whose accounts agree with the charges and payments. Updates `openCharges`. */
async function expectBalancedLedger(): Promise<void> {
  const balances = await closingBalances(office);
  const { charges, totals, total } = await office.call("listCharges", { query: { pageSize: 100, sortBy: "dueDate", sortDirection: "asc" } });
  const { payments } = await office.call("listPayments", { query: { pageSize: 100 } });
  expect(charges).toHaveLength(total);
  const sum = (amounts: number[]) => amounts.reduce((a, b) => a + b, 0);
  const received = payments.filter(({ status }) => status === "received");
  expect({
    all: sum(Object.values(balances)),
    receivables: balances["1100"] ?? 0,
    prepaid: 0 - (balances["2150"] ?? 0),
    cash: balances["1050"] ?? 0,
    balanceOfCharges: totals.balanceCents,
  }).toEqual({
    all: 0,
    receivables: sum(charges.map(({ balanceCents }) => balanceCents)),
    prepaid: sum(received.map(({ unallocatedCents }) => unallocatedCents)),
    cash: sum(received.map(({ amountCents }) => amountCents)),
    balanceOfCharges: sum(charges.map(({ balanceCents }) => balanceCents)),
  });
  openCharges = charges.filter(({ balanceCents }) => balanceCents > 0);
}

const in364Days = new Date(Date.now() + 364 * 86_400_000).toISOString();
/** Latest year whose first quarter ends within a year from now. */
const latestPostableYear = Number(in364Days.slice(0, 4)) - (in364Days.slice(5, 10) < "03-31" ? 1 : 0);

const pay = (amountCents: number, allocations: { chargeId: string; amountCents: number }[]) =>
  office.call("recordPayment", { body: { ...aPayment(lease, amountCents), allocations } });
const getCharge = async (id: string) => (await office.call("getCharge", { params: { id } })).charge;

/** Defines the scenario's tests. The base URL is read when they start. */
export const firstQuarter = (baseUrl: () => string): void =>
  describe("a first quarter", () => {
    beforeAll(async () => {
      tenant = new Client(baseUrl());
      const earlierOffice = await anOffice(baseUrl());
      const reader = await EventReader.open(baseUrl(), earlierOffice.token!);
      startId = (await reader.waitForFrame("stream.ready", ({ event }) => event === "stream.ready")).id;
      await reader.close();
    });
    afterAll(() => Promise.all([officeStream?.close(), tenantStream?.close()]));

    test("the organization signs up", async () => {
      office = await anOffice(baseUrl());
      officeStream = await EventReader.open(baseUrl(), office.token!, { lastEventId: startId });
      await expectEvents({ officeOnly: ["organization.created", "user.created"] });
      await expectBalancedLedger();
    });

    test("a property is added with its unit, and a tenant", async () => {
      const { property } = await office.call("createProperty", {
        body: {
          name: "Elm Street 1",
          streetLine1: "1 Elm Street",
          city: "Albany",
          state: "NY",
          postalCode: "12207",
          units: 1,
          occupiedUnits: 0,
          initialUnit: { bathrooms: 1, bedrooms: 2, monthlyRentCents: 120_000, status: "vacant", unitNumber: "1A" },
        },
      });
      const { units } = await office.call("listUnits", { query: { propertyId: property.id } });
      const { tenant: createdTenant } = await office.call("createTenant", { body: { fullName: "Tess Tenant" } });
      lease = { propertyId: property.id, unitId: units[0]!.id, tenantId: createdTenant.id, leaseId: "" };
      await expectEvents({ officeOnly: ["property.created", "unit.created", "tenant.created"] });
    });

    test("the tenant is invited and accepts through the link", async () => {
      const email = anEmail();
      const { inviteLink } = await office.call("createTenantInvite", { body: { tenantId: lease.tenantId, email, channels: ["email"] } });
      const { messages } = await tenant.call("listDevOutbox", { query: { to: email } });
      expect(messages[0]!.links).toContain(inviteLink);
      const page = await tenant.raw("GET", new URL(inviteLink!).pathname, undefined, { Accept: "application/json" });
      const { operation } = (await page.json()) as { operation: { method: string; path: string } };
      const accepted = await tenant.raw(operation.method, operation.path, { password });
      expect(accepted.status).toBe(200);
      const { accessToken, user } = (await accepted.json()) as { accessToken: string; user: { role: string; subjectId: string } };
      expect(user).toMatchObject({ role: "tenant", subjectId: lease.tenantId });
      tenant.token = accessToken;
      tenantStream = await EventReader.open(baseUrl(), accessToken, { lastEventId: startId });
      await expectEvents({ both: ["invite.accepted"], officeOnly: ["invite.created", "user.created", "tenant.updated"] });
    });

    test("a lease is drafted and activated", async () => {
      const { lease: draft } = await office.call("createLease", {
        body: {
          propertyId: lease.propertyId,
          unitId: lease.unitId,
          tenantId: lease.tenantId,
          startDate: "2024-01-01",
          termType: "month_to_month",
          rentCents: 120_000,
          createRecurringRent: false,
        },
      });
      lease.leaseId = draft.id;
      const { lease: active } = await office.call("activateLease", { params: { id: draft.id }, body: {} });
      expect([draft.status, active.status]).toEqual(["draft", "active"]);
      await expectEvents({ both: ["lease.activated"], officeOnly: ["lease.created"] });
    });

    test.each([
      [2024, "a leap year"],
      [latestPostableYear - 1, "a past year"],
      [latestPostableYear, "the latest postable year"],
    ])("recurring charges due on the 29th, 30th and 31st are posted once for each month of the first quarter of %i (%s)", async (year) => {
      const lastOfFebruary = new Date(Date.UTC(year, 2, 0)).toISOString().slice(5, 10);
      const { categories } = await office.call("listCategories");
      const categoryId = categories.find(({ code }) => code === "4010")!.id;
      for (const dayOfMonth of [29, 30, 31])
        await office.call("createRecurringCharge", {
          body: {
            leaseId: lease.leaseId,
            amountCents: 1_000 * dayOfMonth + 7,
            categoryId,
            dayOfMonth,
            startDate: `${year}-01-01`,
            endDate: `${year}-03-31`,
            kind: "fee",
            label: `Parking on the ${dayOfMonth}th`,
            postMissed: true,
          },
        });
      const expected = [29, 30, 31].flatMap((day) => [`${year}-01-${day}`, `${year}-${lastOfFebruary}`, `${year}-03-${day}`]);
      const preview = await office.call("postDueCharges", { body: { throughDate: `${year}-03-31`, dryRun: true } });
      expect(preview.posting.lines.map(({ dueDate }) => dueDate).toSorted()).toEqual(expected.toSorted());
      await Promise.all(Array.from({ length: 5 }, () => office.call("postDueCharges", { body: { throughDate: `${year}-03-31` } })));
      const { charges } = await office.call("listCharges", { query: { pageSize: 100, dueAfter: `${year}-01-01`, dueBefore: `${year}-12-31` } });
      expect(charges.map(({ dueDate }) => dueDate).toSorted()).toEqual(expected.toSorted());
      await expectEvents({
        both: Array.from({ length: 9 }, () => "charge.posted" as const),
        officeOnly: Array.from({ length: 3 }, () => "recurring_charge.created" as const),
      });
      await expectBalancedLedger();
    });

    test("nothing is posted more than a year ahead", async () => {
      const throughDate = new Date(Date.now() + 400 * 86_400_000).toISOString().slice(0, 10);
      const { status, body } = await office.attempt("postDueCharges", { body: { throughDate } });
      expect([status, body.errors?.[0]?.path]).toEqual([400, "throughDate"]);
      await expectBalancedLedger();
    });

    test("a charge is paid in full", async () => {
      const [first] = openCharges;
      const { payment } = await pay(first!.balanceCents, [{ chargeId: first!.id, amountCents: first!.balanceCents }]);
      expect(payment).toMatchObject({ unallocatedCents: 0, status: "received" });
      expect(await getCharge(first!.id)).toMatchObject({ balanceCents: 0, status: "paid" });
      await expectEvents({ both: ["payment.received"] });
      await expectBalancedLedger();
    });

    test("a charge is paid in part", async () => {
      const [first] = openCharges;
      await pay(10_001, [{ chargeId: first!.id, amountCents: 10_001 }]);
      expect(await getCharge(first!.id)).toMatchObject({ balanceCents: first!.balanceCents - 10_001, status: "partially_paid" });
      await expectEvents({ both: ["payment.received"] });
      await expectBalancedLedger();
    });

    let overpaymentId: string;
    test("a charge is overpaid and the rest remains unallocated", async () => {
      const [, second] = openCharges;
      const { payment } = await pay(second!.balanceCents + 5_000, [{ chargeId: second!.id, amountCents: second!.balanceCents }]);
      overpaymentId = payment.id;
      expect(payment.unallocatedCents).toBe(5_000);
      expect(await getCharge(second!.id)).toMatchObject({ balanceCents: 0, status: "paid" });
      await expectEvents({ both: ["payment.received"] });
      await expectBalancedLedger();
    });

    test("the unallocated amount is allocated later, and only once under concurrency", async () => {
      const [first] = openCharges;
      const allocate = (amountCents: number) =>
        office.attempt("allocatePayment", { params: { id: overpaymentId }, body: { allocations: [{ chargeId: first!.id, amountCents }] } });
      const responses = await Promise.all([allocate(5_000), allocate(5_000), allocate(5_000)]);
      expect(responses.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(1);
      await expectEvents({ both: ["payment.allocated"] });
      await expectBalancedLedger();
    });

    test("a payment for two charges bounces: both charges regain their balance, and the NSF fee is charged", async () => {
      const [first, second] = openCharges;
      const { payment } = await pay(first!.balanceCents + 2_000, [
        { chargeId: first!.id, amountCents: first!.balanceCents },
        { chargeId: second!.id, amountCents: 1_000 },
      ]);
      await expectBalancedLedger();
      const { payment: bounced, charges } = await office.call("reversePayment", { params: { id: payment.id }, body: { reason: "nsf", nsfFeeCents: 3_500 } });
      expect(bounced).toMatchObject({ status: "reversed", unallocatedCents: 0, allocations: [] });
      expect(charges.find(({ id }) => id === first!.id)).toMatchObject({ balanceCents: first!.balanceCents, dueDate: first!.dueDate });
      expect(charges.find(({ id }) => id === second!.id)).toMatchObject({ balanceCents: second!.balanceCents, dueDate: second!.dueDate });
      expect(charges.find(({ chargeType }) => chargeType === "nsf_fee")).toMatchObject({ balanceCents: 3_500 });
      const repeated = await office.attempt("reversePayment", { params: { id: payment.id }, body: { reason: "nsf" } });
      expect([repeated.status, repeated.body.code]).toEqual([409, "already_reversed"]);
      await expectEvents({ both: ["payment.received", "payment.reversed", "charge.posted"] });
      await expectBalancedLedger();
    });

    test("the overpayment bounces too, with its later allocation", async () => {
      await office.call("reversePayment", { params: { id: overpaymentId }, body: { reason: "nsf" } });
      await expectEvents({ both: ["payment.reversed"] });
      await expectBalancedLedger();
    });

    test("the NSF fee is voided", async () => {
      const fee = (await office.call("listCharges", { query: { chargeType: "nsf_fee" } })).charges[0]!;
      await office.call("voidCharge", { params: { id: fee.id }, body: { reason: "The bank was to blame." } });
      await expectEvents({ both: ["charge.voided"] });
      await expectBalancedLedger();
    });

    test("the tenant received only the tenant's own events, in order, and may not list payments", async () => {
      const events: Frame[] = tenantStream!.events;
      expect(events.map(sequenceOf)).toEqual(events.map(sequenceOf).toSorted((a, b) => a - b));
      expect(new Set(events.map(({ data }) => data.organizationId))).toEqual(new Set([office.organizationId]));
      const foreignEvents = events.filter(
        ({ event, data }) => !["notification.created", "invite.accepted"].includes(event) && data.data["tenantId"] !== lease.tenantId,
      );
      expect(foreignEvents).toEqual([]);
      expect((await tenant.attempt("listPayments")).status).toBe(403);
    });

    test("the tenant was notified of each payment once", async () => {
      const received = await eventually("notification of each payment", async () => {
        const { notifications } = await tenant.call("listNotifications", { query: { type: "payment.received", pageSize: 100 } });
        return notifications.length >= 4 ? notifications : undefined;
      });
      const { payments } = await office.call("listPayments", { query: { pageSize: 100 } });
      expect(received).toHaveLength(payments.length);
      expect(new Set(received.map(({ entityId }) => entityId))).toEqual(new Set(payments.map(({ id }) => id)));
    });
  });
