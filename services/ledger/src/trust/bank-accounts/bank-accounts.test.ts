import { beforeAll, describe, expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { aCharge, aPayment, aTenancy, requireBalancedTrialBalance } from "../../../../../test/support/tenancy.ts";
import { todayInOffice } from "../../../test/ledger.fixtures.ts";
import { accountIdsByCode } from "../../journal/journal.fixtures.ts";
import { closeMonth } from "../../periods/periods.fixtures.ts";
import { aBankAccount, registerOf, subLedgersOf } from "../trust.fixtures.ts";

let office: Office;
let accounts: Record<string, string>;
beforeAll(async () => {
  office = await anOffice();
  accounts = await accountIdsByCode(office);
});

const terms = { name: "Operating trust", institutionName: "First Bank", accountMask: "1234", accountType: "operating" as const };
const archive = (id: string) => office.attempt("archiveBankAccount", { params: { id } });

describe("createBankAccount", () => {
  test.each([
    ["operating", "1000"],
    ["security_deposit", "1010"],
    ["reserve", "1020"],
    ["business", "1090"],
  ] as const)("posts the money of a %s account to %s of the chart", async (accountType, code) => {
    const { bankAccount } = await office.call("createBankAccount", { body: { ...terms, accountType } });
    expect(bankAccount).toMatchObject({ ...terms, accountType, categoryId: accounts[code], ownerId: null, isActive: true });
  });

  test("posts the opening balance of a trust account to owner equity and of a business account to retained earnings", async () => {
    const own = await anOffice();
    const trust = await aBankAccount(own, "operating", { openingBalanceCents: 5_000 });
    const business = await aBankAccount(own, "business", { openingBalanceCents: 700 });
    const { trialBalance } = await own.call("getTrialBalance", { query: {} });
    const balances = Object.fromEntries(trialBalance.rows.map(({ accountCode, closingCents }) => [accountCode, closingCents]));
    expect(balances).toMatchObject({ "1000": 5_000, "3000": -5_000, "1090": 700, "3900": -700 });
    expect(await registerOf(own, trust)).toEqual([["2026-01-01", "opening_balance", 5_000, 5_000]]);
    expect(await subLedgersOf(own, business)).toEqual({ rows: [["manager", null, null, 700]], totals: [700, 700, 0] });
  });

  test("dates an opening balance without a day today", async () => {
    const own = await anOffice();
    const before = todayInOffice();
    const { bankAccount } = await own.call("createBankAccount", { body: { ...terms, openingBalanceCents: 700 } });
    const [[date, ...rest]] = (await registerOf(own, bankAccount.id)) as [[string, ...unknown[]]];
    expect([before, todayInOffice()]).toContain(date);
    expect(rest).toEqual(["opening_balance", 700, 700]);
  });

  test("refuses an opening balance in a closed accounting period", async () => {
    const own = await anOffice();
    await closeMonth(own, "2026-01");
    const body = { ...terms, openingBalanceCents: 1, openingDate: "2026-01-31" };
    expect(await own.attempt("createBankAccount", { body })).toMatchObject({ status: 409, body: { code: "period_closed" } });
    expect((await own.call("listBankAccounts")).bankAccounts).toEqual([]);
  });

  test("refuses an unknown owner, digits that could be a whole account number, and an unknown type", async () => {
    const attempt = async (change: object) => (await office.attempt("createBankAccount", { body: { ...terms, ...change } as never })).body;
    expect(await attempt({ ownerId: randomUUID() })).toMatchObject({ errors: [{ path: "ownerId", code: "not_found" }] });
    expect(await attempt({ accountMask: "12345678" })).toMatchObject({ errors: [{ path: "accountMask", code: "format" }] });
    expect(await attempt({ accountType: "savings" })).toMatchObject({ errors: [{ path: "accountType", code: "enum" }] });
  });
});

describe("listBankAccounts", () => {
  test("filters by type, owner, activity and text", async () => {
    const own = await anOffice();
    const { owner } = await own.call("createOwner", { body: { fullName: "Olga Owner", email: "olga@example.com" } });
    const { bankAccount: hers } = await own.call("createBankAccount", { body: { ...terms, name: "Olga's trust", ownerId: owner.id } });
    const escrow = await aBankAccount(own, "security_deposit");
    await own.call("archiveBankAccount", { params: { id: escrow } });
    const ids = async (query: Record<string, string>) => (await own.call("listBankAccounts", { query })).bankAccounts.map(({ id }) => id);
    expect(await ids({})).toEqual([hers.id, escrow]);
    expect(await ids({ ownerId: owner.id })).toEqual([hers.id]);
    expect(await ids({ accountType: "security_deposit,reserve" })).toEqual([escrow]);
    expect(await ids({ isActive: "false" })).toEqual([escrow]);
    expect(await ids({ search: "OLGA" })).toEqual([hers.id]);
  });
});

describe("updateBankAccount", () => {
  test("changes what is sent and keeps the type and its account", async () => {
    const id = await aBankAccount(office);
    const { bankAccount } = await office.call("updateBankAccount", { params: { id }, body: { name: "Renamed", accountMask: "99" } });
    expect(bankAccount).toMatchObject({ name: "Renamed", accountMask: "99", institutionName: "First Bank", accountType: "operating" });
    expect((await office.attempt("updateBankAccount", { params: { id }, body: { accountType: "business" } as never })).status).toBe(400);
  });
});

describe("archiveBankAccount", () => {
  test("refuses an account with a balance, also one that is dated ahead, and archives an empty one once", async () => {
    const own = await anOffice();
    const [id, other] = [await aBankAccount(own, "operating", { openingBalanceCents: 100 }), await aBankAccount(own, "reserve")];
    const attempt = (account: string) => own.attempt("archiveBankAccount", { params: { id: account } });
    expect(await attempt(id)).toMatchObject({ status: 409, body: { code: "resource_in_use" } });
    await own.call("createTransfer", { body: { fromBankAccountId: id, toBankAccountId: other, amountCents: 100, occurredAt: "2198-01-01T12:00:00.000Z" } });
    expect((await attempt(id)).status).toBe(409);
    expect((await attempt(other)).status).toBe(409);
    const empty = await aBankAccount(own, "business");
    expect(await attempt(empty)).toMatchObject({ status: 200, body: { bankAccount: { isActive: false } } });
    expect((await attempt(empty)).status).toBe(404);
    expect((await own.call("getBankAccount", { params: { id: empty } })).bankAccount.isActive).toBe(false);
  });

  test("takes no more postings until it is restored", async () => {
    const id = await aBankAccount(office, "reserve");
    await archive(id);
    const adjust = () => office.attempt("createBankAdjustment", { params: { id }, body: { kind: "interest", amountCents: 5, occurredOn: "2026-01-31" } });
    expect(await adjust()).toMatchObject({ status: 409, body: { code: "invalid_transition" } });
    await office.call("updateBankAccount", { params: { id }, body: { isActive: true } });
    expect((await adjust()).status).toBe(200);
    expect(await office.attempt("updateBankAccount", { params: { id }, body: { isActive: false } })).toMatchObject({
      status: 409,
      body: { code: "resource_in_use" },
    });
  });
});

describe("deposits, refunds and journal entries", () => {
  test("name the bank account, whose register shows one transaction for each", async () => {
    const own = await anOffice();
    const [chart, tenancy, id] = [await accountIdsByCode(own), await aTenancy(own), await aBankAccount(own)];
    const { payment } = await own.call("recordPayment", { body: { ...aPayment(tenancy, 1_000), receivedAt: "2026-01-05T12:00:00.000Z" } });
    const { deposit } = await own.call("createDeposit", { body: { bankAccountId: id, depositedOn: "2026-01-06", paymentIds: [payment.id] } });
    expect(deposit.bankAccountId).toBe(id);
    const { refund } = await own.call("refundPayment", {
      params: { id: payment.id },
      body: { amountCents: 300, method: "check", bankAccountId: id, refundedAt: "2026-01-07T12:00:00.000Z" },
    });
    expect(refund.bankAccountId).toBe(id);
    const line = { accountId: chart["1000"]!, debitCents: 50 };
    const { journalEntry } = await own.call("createJournalEntry", {
      body: { memo: "Found money", occurredAt: "2026-01-08T12:00:00.000Z", lines: [line, { accountId: chart["4090"]!, creditCents: 50 }] },
    });
    expect(journalEntry.lines.map(({ bankAccountId }) => bankAccountId)).toEqual([id, null]);
    expect(await registerOf(own, id)).toEqual([
      ["2026-01-06", "deposit", 1_000, 1_000],
      ["2026-01-07", "refund", -300, 700],
      ["2026-01-08", "manual", 50, 750],
    ]);
    expect(await subLedgersOf(own, id)).toEqual({
      rows: [
        ["prepaid", tenancy.propertyId, tenancy.tenantId, 700],
        ["manager", null, null, 50],
      ],
      totals: [750, 750, 0],
    });
    expect((await own.call("listDeposits", { query: { bankAccountId: id } })).deposits.map((each) => each.id)).toEqual([deposit.id]);
    const { balances } = await own.call("getBankAccount", { params: { id } });
    expect(balances).toEqual({ bookCents: 750, clearedCents: 0, undepositedCents: 0, outstandingChecksCents: 300, depositsInTransitCents: 1_050 });
    await requireBalancedTrialBalance(own);
  });

  test("mean the only active bank account of an account of the chart, and must name one of several", async () => {
    const own = await anOffice();
    const [chart, tenancy] = [await accountIdsByCode(own), await aTenancy(own)];
    const deposit = async () => {
      const { payment } = await own.call("recordPayment", { body: { ...aPayment(tenancy, 100), receivedAt: "2026-01-05T12:00:00.000Z" } });
      return own.attempt("createDeposit", { body: { bankAccountId: chart["1000"]!, depositedOn: "2026-01-06", paymentIds: [payment.id] } });
    };
    expect(await deposit()).toMatchObject({ status: 200, body: { deposit: { bankAccountId: chart["1000"] } } });
    const id = await aBankAccount(own);
    expect(await deposit()).toMatchObject({ status: 200, body: { deposit: { bankAccountId: id } } });
    const other = await aBankAccount(own, "operating", { name: "Second trust" });
    expect(await deposit()).toMatchObject({ status: 400, body: { errors: [{ path: "bankAccountId", code: "required" }] } });
    await own.call("archiveBankAccount", { params: { id: other } });
    expect(await deposit()).toMatchObject({ status: 200, body: { deposit: { bankAccountId: id } } });
  });

  test("refuse a bank account of another account of the chart, and one on a line that is on no bank account", async () => {
    const id = await aBankAccount(office, "security_deposit");
    const attempt = (accountId: string, bankAccountId: string) =>
      office.attempt("createJournalEntry", {
        body: {
          memo: "Wrong account",
          occurredAt: "2026-01-08T12:00:00.000Z",
          lines: [
            { accountId, bankAccountId, debitCents: 50 },
            { accountId: accounts["4090"]!, creditCents: 50 },
          ],
        },
      });
    expect(await attempt(accounts["1000"]!, id)).toMatchObject({ status: 400, body: { errors: [{ path: "lines.0.bankAccountId", code: "mismatch" }] } });
    expect(await attempt(accounts["5000"]!, id)).toMatchObject({ status: 400, body: { errors: [{ path: "lines.0.bankAccountId", code: "not_allowed" }] } });
    expect(await attempt(accounts["1010"]!, randomUUID())).toMatchObject({
      status: 400,
      body: { errors: [{ path: "lines.0.bankAccountId", code: "not_found" }] },
    });
  });

  test("take no payments of tenants into a business account", async () => {
    const own = await anOffice();
    const [tenancy, business] = [await aTenancy(own), await aBankAccount(own, "business")];
    const { payment } = await own.call("recordPayment", { body: aPayment(tenancy, 100) });
    const body = { bankAccountId: business, depositedOn: "2026-01-06", paymentIds: [payment.id] };
    expect(await own.attempt("createDeposit", { body })).toMatchObject({ status: 400, body: { errors: [{ path: "bankAccountId", code: "not_allowed" }] } });
  });

  test("take no more from a trust account than the property of a line has there, also when a draft is posted", async () => {
    const own = await anOffice();
    const [chart, { propertyId }, id] = [await accountIdsByCode(own), await aTenancy(own), await aBankAccount(own)];
    await own.call("createBankAdjustment", { params: { id }, body: { kind: "interest", amountCents: 100, occurredOn: "2026-01-31", propertyId } });
    const entry = (creditCents: number, property: string | null, status: "posted" | "draft" = "posted") =>
      own.attempt("createJournalEntry", {
        body: {
          memo: "Paid to the owner",
          occurredAt: "2026-02-08T12:00:00.000Z",
          status,
          lines: [
            { accountId: chart["3200"]!, debitCents: creditCents, propertyId: property },
            { accountId: chart["1000"]!, creditCents, propertyId: property },
          ],
        },
      });
    const refused = { status: 409, body: { code: "insufficient_trust_funds" } };
    expect(await entry(101, propertyId)).toMatchObject(refused);
    expect(await entry(1, null)).toMatchObject(refused);
    const { body: draft } = await entry(60, propertyId, "draft");
    expect((await entry(60, propertyId)).status).toBe(200);
    expect(await own.attempt("postJournalEntry", { params: { id: draft.journalEntry.id }, body: {} })).toMatchObject(refused);
    expect((await entry(40, propertyId)).status).toBe(200);
    expect(await subLedgersOf(own, id)).toEqual({ rows: [], totals: [0, 0, 0] });
  });

  test("pay a refund of money that was never deposited from what the account holds for the property", async () => {
    const own = await anOffice();
    const [tenancy, id] = [await aTenancy(own), await aBankAccount(own)];
    const { propertyId } = tenancy;
    await own.call("createBankAdjustment", { params: { id }, body: { kind: "interest", amountCents: 500, occurredOn: "2026-01-06", propertyId } });
    const { payment } = await own.call("recordPayment", { body: aPayment(tenancy, 1_000) });
    const refund = (amountCents: number) =>
      own.attempt("refundPayment", {
        params: { id: payment.id },
        body: { amountCents, method: "check", bankAccountId: id, refundedAt: "2026-01-10T12:00:00.000Z" },
      });
    expect(await refund(501)).toMatchObject({ status: 409, body: { code: "insufficient_trust_funds" } });
    expect((await refund(300)).status).toBe(200);
    expect((await subLedgersOf(own, id)).rows).toEqual([["owner", propertyId, null, 200]]);
  });

  test("cannot be undone after their money was used", async () => {
    const own = await anOffice();
    const [tenancy, id, reserve] = [await aTenancy(own), await aBankAccount(own), await aBankAccount(own, "reserve")];
    const charge = await aCharge(own, tenancy.leaseId, 1_000);
    const { payment } = await own.call("recordPayment", {
      body: { ...aPayment(tenancy, 1_000), allocations: [{ chargeId: charge, amountCents: 1_000 }] },
    });
    const { deposit } = await own.call("createDeposit", { body: { bankAccountId: id, depositedOn: "2026-01-06", paymentIds: [payment.id] } });
    const { transfer } = await own.call("createTransfer", {
      body: {
        fromBankAccountId: id,
        toBankAccountId: reserve,
        amountCents: 400,
        occurredAt: "2026-01-07T12:00:00.000Z",
        allocations: [{ propertyId: tenancy.propertyId, amountCents: 400 }],
      },
    });
    const undo = () => own.attempt("voidDeposit", { params: { id: deposit.id }, body: { reason: "wrong account" } });
    expect(await undo()).toMatchObject({ status: 409, body: { code: "insufficient_trust_funds" } });
    await own.call("voidTransfer", { params: { id: transfer.id }, body: { reason: "too early" } });
    expect((await undo()).status).toBe(200);
    expect(await subLedgersOf(own, id)).toEqual({ rows: [], totals: [0, 0, 0] });
  });

  test("return the money of a reversed payment from the bank account of its deposit", async () => {
    const own = await anOffice();
    const [tenancy, id] = [await aTenancy(own), await aBankAccount(own)];
    const { payment } = await own.call("recordPayment", { body: { ...aPayment(tenancy, 1_000), receivedAt: "2026-01-05T12:00:00.000Z" } });
    await own.call("createDeposit", { body: { bankAccountId: id, depositedOn: "2026-01-06", paymentIds: [payment.id] } });
    const charge = await aCharge(own, tenancy.leaseId, 400, "2026-01-09");
    await own.call("allocatePayment", { params: { id: payment.id }, body: { allocations: [{ chargeId: charge, amountCents: 400 }] } });
    expect((await subLedgersOf(own, id)).rows).toEqual([
      ["owner", tenancy.propertyId, null, 400],
      ["prepaid", tenancy.propertyId, tenancy.tenantId, 600],
    ]);
    await own.call("reversePayment", { params: { id: payment.id }, body: { reason: "nsf", reversedAt: "2026-01-12T12:00:00.000Z" } });
    expect((await registerOf(own, id)).at(-1)).toEqual(["2026-01-12", "deposit", -1_000, 0]);
    expect(await subLedgersOf(own, id)).toEqual({ rows: [], totals: [0, 0, 0] });
  });
});

describe("getBankAccount", () => {
  test("counts the opening balance as cleared, and neither a voided fee nor its reversal as outstanding", async () => {
    const own = await anOffice();
    const id = await aBankAccount(own, "business", { openingBalanceCents: 10_000 });
    const fee = async (amountCents: number) =>
      (await own.call("createBankAdjustment", { params: { id }, body: { kind: "bank_fee", amountCents, occurredOn: "2026-01-31" } })).adjustment.id;
    const voided = await fee(500);
    await fee(70);
    await own.call("voidBankAdjustment", { params: { id, adjustmentId: voided }, body: { reason: "not taken" } });
    expect((await own.call("getBankAccount", { params: { id } })).balances).toEqual({
      bookCents: 9_930,
      clearedCents: 10_000,
      undepositedCents: 0,
      outstandingChecksCents: 70,
      depositsInTransitCents: 0,
    });
  });

  test("has no opening balance any more once its journal entry is reversed", async () => {
    const own = await anOffice();
    const id = await aBankAccount(own, "operating", { openingBalanceCents: 10_000 });
    const { transactions } = await own.call("listBankTransactions", { params: { id } });
    await own.call("reverseJournalEntry", { params: { id: transactions[0]!.id }, body: {} });
    expect((await own.call("getBankAccount", { params: { id } })).balances).toMatchObject({ bookCents: 0, clearedCents: 0, depositsInTransitCents: 0 });
    expect((await own.attempt("archiveBankAccount", { params: { id } })).status).toBe(200);
  });
});

describe("listBankTransactions", () => {
  test("pages the days of a period, with the balances before and after it", async () => {
    const own = await anOffice();
    const id = await aBankAccount(own, "business", { openingBalanceCents: 1_000 });
    for (const day of ["2026-02-01", "2026-02-02", "2026-03-01"])
      await own.call("createBankAdjustment", { params: { id }, body: { kind: "bank_fee", amountCents: 10, occurredOn: day } });
    const page = await own.call("listBankTransactions", { params: { id }, query: { from: "2026-02-01", to: "2026-02-28", page: "2", pageSize: "1" } });
    expect(page).toMatchObject({ total: 2, totalPages: 2, openingBalanceCents: 1_000, closingBalanceCents: 980 });
    expect(page.transactions).toMatchObject([{ date: "2026-02-02", amountCents: -10, balanceCents: 980, sourceType: "adjustment" }]);
    expect(await own.attempt("listBankTransactions", { params: { id }, query: { from: "2026-02-02", to: "2026-02-01" } })).toMatchObject({
      status: 400,
      body: { errors: [{ path: "to", code: "before_start" }] },
    });
  });
});

describe("createBankAdjustment", () => {
  test("charges a fee and credits interest, of a property or of the management company, and is voided on its own day", async () => {
    const own = await anOffice();
    const [{ propertyId }, id] = [await aTenancy(own), await aBankAccount(own)];
    const adjust = (kind: "bank_fee" | "interest", amountCents: number, property?: string) =>
      own.call("createBankAdjustment", { params: { id }, body: { kind, amountCents, occurredOn: "2026-01-31", propertyId: property ?? null } });
    await adjust("interest", 500, propertyId);
    const { adjustment } = await adjust("bank_fee", 200, propertyId);
    await adjust("bank_fee", 30);
    expect((await subLedgersOf(own, id)).rows).toEqual([
      ["owner", propertyId, null, 300],
      ["manager", null, null, -30],
    ]);
    const voiding = { params: { id, adjustmentId: adjustment.id }, body: { reason: "refunded by the bank" } };
    expect((await own.call("voidBankAdjustment", voiding)).adjustment).toMatchObject({ voidReason: "refunded by the bank", voidedAt: expect.any(String) });
    expect(await own.attempt("voidBankAdjustment", voiding)).toMatchObject({ status: 409, body: { code: "invalid_transition" } });
    expect((await subLedgersOf(own, id, "2026-01-31")).rows).toContainEqual(["owner", propertyId, null, 500]);
    await requireBalancedTrialBalance(own);
  });
});
