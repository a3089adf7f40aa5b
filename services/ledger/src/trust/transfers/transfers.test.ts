import { describe, expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import pg from "pg";
import { eventually } from "../../../../../test/support/eventually.ts";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { running } from "../../../../../test/support/running.ts";
import { aCharge, aPayment, aTenancy, requireBalancedTrialBalance, type Tenancy } from "../../../../../test/support/tenancy.ts";
import { findViolations } from "../../../test/invariants.queries.ts";
import { withOwnerConnection } from "../../../test/ledger.fixtures.ts";
import { closeMonth } from "../../periods/periods.fixtures.ts";
import { aBankAccount, registerOf, subLedgersOf } from "../trust.fixtures.ts";

/** An office with an operating account, in which a tenant's payment of rent, a deposit and prepaid rent was deposited on January 6. */
async function aTrustOffice() {
  const office = await anOffice();
  const [tenancy, operating] = [await aTenancy(office), await aBankAccount(office)];
  await depositMoney(office, tenancy, operating, { rent: 1_000, deposit: 500, prepaid: 200 });
  return { office, tenancy, operating };
}

async function depositMoney(office: Office, { leaseId, tenantId }: Tenancy, bankAccountId: string, parts: { rent: number; deposit: number; prepaid: number }) {
  const rent = await aCharge(office, leaseId, parts.rent);
  const { charge } = await office.call("createCharge", { body: { leaseId, amountCents: parts.deposit, dueDate: "2026-01-01", chargeType: "deposit" } });
  const { payment } = await office.call("recordPayment", {
    body: {
      ...aPayment({ tenantId, leaseId }, parts.rent + parts.deposit + parts.prepaid),
      allocations: [
        { chargeId: rent, amountCents: parts.rent },
        { chargeId: charge.id, amountCents: parts.deposit },
      ],
    },
  });
  await office.call("createDeposit", { body: { bankAccountId, depositedOn: "2026-01-06", paymentIds: [payment.id] } });
}

const onJanuary = (day: number) => `2026-01-${String(day).padStart(2, "0")}T17:00:00.000Z`;
const expectNoViolations = async (office: Office) => expect(await withOwnerConnection(office, findViolations)).toEqual([]);

describe("createTransfer", () => {
  test("moves a deposit and prepaid rent with their liabilities, so that every cent keeps its beneficiary", async () => {
    const { office, tenancy, operating } = await aTrustOffice();
    const { propertyId, tenantId, leaseId } = tenancy;
    const escrow = await aBankAccount(office, "security_deposit");
    const { transfer, journalEntry } = await office.call("createTransfer", {
      body: {
        fromBankAccountId: operating,
        toBankAccountId: escrow,
        amountCents: 800,
        occurredAt: onJanuary(7),
        allocations: [
          { kind: "deposit", leaseId, amountCents: 500 },
          { kind: "prepaid", leaseId, amountCents: 200 },
          { propertyId, amountCents: 100 },
        ],
      },
    });
    expect(transfer).toMatchObject({
      status: "posted",
      amountCents: 800,
      allocations: [{ kind: "deposit", tenantId, propertyId }, { kind: "prepaid" }, { kind: "owner" }],
    });
    expect(journalEntry).toMatchObject({
      source: "transfer",
      sourceType: "transfer",
      sourceId: transfer.id,
      memo: "Transfer from operating account to security_deposit account",
    });
    expect(await subLedgersOf(office, operating)).toEqual({ rows: [["owner", propertyId, null, 900]], totals: [900, 900, 0] });
    expect(await subLedgersOf(office, escrow)).toEqual({
      rows: [
        ["owner", propertyId, null, 100],
        ["deposit", propertyId, tenantId, 500],
        ["prepaid", propertyId, tenantId, 200],
      ],
      totals: [800, 800, 0],
    });
    // Before the transfer, all of it was in the operating account.
    expect((await subLedgersOf(office, operating, "2026-01-06")).totals).toEqual([1_700, 1_700, 0]);
    expect((await subLedgersOf(office, operating, "2026-01-05")).rows).toEqual([]);
    await requireBalancedTrialBalance(office);
    await expectNoViolations(office);
  });

  test("is refused for more than the beneficiary has in the account, also on a day before the money arrives", async () => {
    const { office, tenancy, operating } = await aTrustOffice();
    const reserve = await aBankAccount(office, "reserve");
    const attempt = (amountCents: number, day: number, allocation: object = { propertyId: tenancy.propertyId }) =>
      office.attempt("createTransfer", {
        body: {
          fromBankAccountId: operating,
          toBankAccountId: reserve,
          amountCents,
          occurredAt: onJanuary(day),
          allocations: [{ ...allocation, amountCents }] as never,
        },
      });
    const refused = { status: 409, body: { code: "insufficient_trust_funds" } };
    expect(await attempt(1_001, 10)).toMatchObject(refused);
    expect(await attempt(501, 10, { kind: "deposit", leaseId: tenancy.leaseId })).toMatchObject(refused);
    expect(await attempt(201, 10, { kind: "prepaid", leaseId: tenancy.leaseId })).toMatchObject(refused);
    expect(await attempt(1_000, 5)).toMatchObject(refused);
    expect((await registerOf(office, reserve)).length).toBe(0);
    expect((await attempt(1_000, 10)).status).toBe(200);
    expect(await attempt(1, 10)).toMatchObject(refused);
  });

  test("is permitted beyond the money of the beneficiary when the policy does not block it", async () => {
    const { office, tenancy, operating } = await aTrustOffice();
    await office.call("updateOrganization", { body: { policies: { trustOverdraft: "warn" } } });
    const reserve = await aBankAccount(office, "reserve");
    const body = { fromBankAccountId: operating, toBankAccountId: reserve, amountCents: 1_200, occurredAt: onJanuary(7) };
    const transfer = () => office.attempt("createTransfer", { body: { ...body, allocations: [{ propertyId: tenancy.propertyId, amountCents: 1_200 }] } });
    // The ledger applies the new policy with the event of the change.
    await eventually("policy", async () => (await transfer()).status === 200);
    expect((await subLedgersOf(office, operating)).rows[0]).toEqual(["owner", tenancy.propertyId, null, -200]);
  });

  test("moves only money of the management company to a business account, under every policy", async () => {
    const { office, tenancy, operating } = await aTrustOffice();
    const business = await aBankAccount(office, "business", { openingBalanceCents: 100 });
    const attempt = (amountCents: number, allocations: object[] = [], from = operating, to = business) =>
      office.attempt("createTransfer", {
        body: { fromBankAccountId: from, toBankAccountId: to, amountCents, occurredAt: onJanuary(20), allocations: allocations as never },
      });
    const refused = { status: 409, body: { code: "would_overdraw_ledger" } };
    expect(await attempt(10, [{ propertyId: tenancy.propertyId, amountCents: 10 }])).toMatchObject(refused);
    expect(await attempt(10)).toMatchObject(refused);
    expect(await attempt(60, [], business, operating)).toMatchObject({ status: 200 });
    expect(await attempt(61)).toMatchObject(refused);
    expect(await attempt(60)).toMatchObject({ status: 200 });
    expect(await attempt(10, [{ kind: "deposit", leaseId: tenancy.leaseId, amountCents: 10 }], business, operating)).toMatchObject({
      status: 400,
      body: { errors: [{ path: "allocations.0.kind", code: "not_allowed" }] },
    });
  });

  test("leaves the opening balance of a trust account, which is the money of others, in trust", async () => {
    const office = await anOffice();
    const [trust, business] = [await aBankAccount(office, "operating", { openingBalanceCents: 1_000 }), await aBankAccount(office, "business")];
    await office.call("createBankAdjustment", { params: { id: trust }, body: { kind: "interest", amountCents: 20, occurredOn: "2026-01-10" } });
    const attempt = (amountCents: number) =>
      office.attempt("createTransfer", { body: { fromBankAccountId: trust, toBankAccountId: business, amountCents, occurredAt: onJanuary(20) } });
    expect(await attempt(21)).toMatchObject({ status: 409, body: { code: "would_overdraw_ledger" } });
    expect((await attempt(20)).status).toBe(200);
  });

  test("moves the prepaid rent of a co-tenant who is named, and refuses somebody who is not on the lease", async () => {
    const office = await anOffice();
    const { tenant } = await office.call("createTenant", { body: { fullName: "Cora Co-Tenant" } });
    const [tenancy, operating, reserve] = [
      await aTenancy(office, { coTenantId: tenant.id }),
      await aBankAccount(office),
      await aBankAccount(office, "reserve"),
    ];
    const { payment } = await office.call("recordPayment", { body: aPayment({ ...tenancy, tenantId: tenant.id }, 300) });
    await office.call("createDeposit", { body: { bankAccountId: operating, depositedOn: "2026-01-06", paymentIds: [payment.id] } });
    const attempt = (tenantId: string | undefined) =>
      office.attempt("createTransfer", {
        body: {
          fromBankAccountId: operating,
          toBankAccountId: reserve,
          amountCents: 300,
          occurredAt: onJanuary(7),
          allocations: [{ kind: "prepaid", leaseId: tenancy.leaseId, amountCents: 300, ...(tenantId && { tenantId }) }],
        },
      });
    expect(await attempt(undefined)).toMatchObject({ status: 409, body: { code: "insufficient_trust_funds" } });
    expect(await attempt(randomUUID())).toMatchObject({ status: 400, body: { errors: [{ path: "allocations.0.tenantId", code: "mismatch" }] } });
    expect((await attempt(tenant.id)).status).toBe(200);
    expect((await subLedgersOf(office, reserve)).rows).toEqual([["prepaid", tenancy.propertyId, tenant.id, 300]]);
  });

  test("is followed by nothing that uses the money once more in the account that it left", async () => {
    const { office, tenancy, operating } = await aTrustOffice();
    const { propertyId, leaseId } = tenancy;
    const reserve = await aBankAccount(office, "reserve");
    const transfer = (amountCents: number, allocation: object) =>
      office.attempt("createTransfer", {
        body: {
          fromBankAccountId: operating,
          toBankAccountId: reserve,
          amountCents,
          occurredAt: onJanuary(7),
          allocations: [{ ...allocation, amountCents }] as never,
        },
      });
    expect((await transfer(200, { kind: "prepaid", leaseId })).status).toBe(200);
    // The prepaid rent, which is in the reserve account, pays a charge of January 8.
    const chargeId = await aCharge(office, leaseId, 200, "2026-01-08");
    const { payments } = await office.call("listPayments", { query: { leaseId } });
    await office.call("allocatePayment", { params: { id: payments[0]!.id }, body: { allocations: [{ chargeId, amountCents: 200 }] } });
    expect(await transfer(1_001, { propertyId })).toMatchObject({ status: 409, body: { code: "insufficient_trust_funds" } });
    expect((await transfer(1_000, { propertyId })).status).toBe(200);
  });

  test("refuses the same account twice, an unknown one, allocations that do not add up, and unknown references, each by name", async () => {
    const { office, tenancy, operating } = await aTrustOffice();
    const reserve = await aBankAccount(office, "reserve");
    const errors = async (change: object) => {
      const body = { fromBankAccountId: operating, toBankAccountId: reserve, amountCents: 10, occurredAt: onJanuary(7), ...change };
      return (await office.attempt("createTransfer", { body: body as never })).body.errors?.map(({ path, code }) => [path, code]);
    };
    expect(await errors({ toBankAccountId: operating })).toEqual([["toBankAccountId", "unique"]]);
    expect(await errors({ toBankAccountId: randomUUID() })).toEqual([["toBankAccountId", "not_found"]]);
    expect(await errors({ allocations: [{ propertyId: tenancy.propertyId, amountCents: 9 }] })).toEqual([["allocations", "mismatch"]]);
    expect(await errors({ allocations: [{ amountCents: 10 }] })).toEqual([["allocations.0.propertyId", "required"]]);
    expect(await errors({ allocations: [{ kind: "deposit", amountCents: 10 }] })).toEqual([["allocations.0.leaseId", "required"]]);
    expect(await errors({ allocations: [{ propertyId: randomUUID(), amountCents: 10 }] })).toEqual([["allocations.0.propertyId", "not_found"]]);
    expect(await errors({ allocations: [{ propertyId: tenancy.propertyId, ownerId: randomUUID(), amountCents: 10 }] })).toEqual([
      ["allocations.0.ownerId", "not_found"],
    ]);
    expect(await errors({ allocations: [{ kind: "deposit", leaseId: randomUUID(), amountCents: 10 }] })).toEqual([["allocations.0.leaseId", "not_found"]]);
    const other = await aTenancy(office);
    const elsewhere = [{ kind: "prepaid", leaseId: tenancy.leaseId, propertyId: other.propertyId, amountCents: 10 }];
    expect(await errors({ allocations: elsewhere })).toEqual([["allocations.0.propertyId", "mismatch"]]);
  });

  test("is dated the first open day when its accounting period is closed", async () => {
    const { office, tenancy, operating } = await aTrustOffice();
    const reserve = await aBankAccount(office, "reserve");
    await closeMonth(office, "2026-01");
    const body = { fromBankAccountId: operating, toBankAccountId: reserve, amountCents: 10, occurredAt: onJanuary(7) };
    const { journalEntry } = await office.call("createTransfer", { body: { ...body, allocations: [{ propertyId: tenancy.propertyId, amountCents: 10 }] } });
    expect(journalEntry.movedFromDate).toBe("2026-01-07");
    expect(await registerOf(office, reserve)).toEqual([["2026-02-01", "transfer", 10, 10]]);
  });
});

describe("voidTransfer", () => {
  test("undoes the transfer on its own day, once, and only while its money is still there", async () => {
    const { office, tenancy, operating } = await aTrustOffice();
    const [reserve, third] = [await aBankAccount(office, "reserve"), await aBankAccount(office, "security_deposit")];
    const transfer = (from: string, to: string) =>
      office.call("createTransfer", {
        body: {
          fromBankAccountId: from,
          toBankAccountId: to,
          amountCents: 400,
          occurredAt: onJanuary(8),
          allocations: [{ propertyId: tenancy.propertyId, amountCents: 400 }],
        },
      });
    const before = await subLedgersOf(office, operating, "2026-01-08");
    const first = (await transfer(operating, reserve)).transfer;
    const second = (await transfer(reserve, third)).transfer;
    const attempt = (id: string) => office.attempt("voidTransfer", { params: { id }, body: { reason: "wrong account" } });
    expect(await attempt(first.id)).toMatchObject({ status: 409, body: { code: "insufficient_trust_funds" } });
    expect(await attempt(second.id)).toMatchObject({ status: 200, body: { transfer: { status: "voided", voidReason: "wrong account" } } });
    expect(await attempt(first.id)).toMatchObject({ status: 200, body: { transfer: { status: "voided" } } });
    expect(await attempt(first.id)).toMatchObject({ status: 409, body: { code: "invalid_transition" } });
    expect(await subLedgersOf(office, operating, "2026-01-08")).toEqual(before);
    expect((await office.call("listTransfers", { query: { bankAccountId: third } })).transfers.map(({ id }) => id)).toEqual([second.id]);
    await expectNoViolations(office);
  });
});

/** Runs two withdrawals of 600 that both read a balance of 1,000 without a lock before either of them writes. Returns the balance after them. */
async function withdrawWithoutLocks(office: Office): Promise<number> {
  const schema = `unlocked_${randomUUID().replaceAll("-", "")}`;
  return withOwnerConnection(office, async (owner) => {
    await owner.query(`create schema ${schema}; create table ${schema}.money (cents int not null); insert into ${schema}.money values (1000)`);
    const clients = [0, 1].map(() => new pg.Client({ connectionString: running().databaseUrls.ledger.owner }));
    try {
      await Promise.all(clients.map((client) => client.connect()));
      const read = await Promise.all(clients.map((client) => client.query<{ cents: number }>(`select cents from ${schema}.money`)));
      for (const [index, client] of clients.entries())
        if (read[index]!.rows[0]!.cents >= 600) await client.query(`update ${schema}.money set cents = cents - 600`);
      return (await owner.query<{ cents: number }>(`select cents from ${schema}.money`)).rows[0]!.cents;
    } finally {
      await Promise.all(clients.map((client) => client.end()));
      await owner.query(`drop schema ${schema} cascade`);
    }
  });
}

describe("concurrent withdrawals", () => {
  test("of the same money succeed once, unlike those that check the money before they lock it", async () => {
    const { office, tenancy, operating } = await aTrustOffice();
    const reserve = await aBankAccount(office, "reserve");
    const withdraw = () =>
      office.attempt("createTransfer", {
        body: {
          fromBankAccountId: operating,
          toBankAccountId: reserve,
          amountCents: 600,
          occurredAt: onJanuary(9),
          allocations: [{ propertyId: tenancy.propertyId, amountCents: 600 }],
        },
      });
    const statuses = (await Promise.all(Array.from({ length: 8 }, withdraw))).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 409)).toHaveLength(7);
    expect((await subLedgersOf(office, operating)).rows[0]).toEqual(["owner", tenancy.propertyId, null, 400]);
    expect(await withdrawWithoutLocks(office)).toBe(-200);
  });
});
