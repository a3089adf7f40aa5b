/** Money of the management company in trust accounts, which alone may be transferred to a business account. */
import { describe, expect, test } from "@jest/globals";
import { anOffice } from "../../../../../test/support/office.ts";
import { accountIdsByCode } from "../../journal/journal.fixtures.ts";
import { aManagedProperty, anAgreement, aRun } from "../../payables/management-fees/management-fees.fixtures.ts";
import { aFundedProperty } from "../../payables/payables.fixtures.ts";
import { aBankAccount } from "../trust.fixtures.ts";

const onJanuary = (day: number) => `2026-01-${String(day).padStart(2, "0")}T17:00:00.000Z`;

describe("a transfer to a business account", () => {
  /** A property with 100,000 of rent in an operating account, and functions that post manual entries there and transfer to business accounts. */
  async function anAccountWithRent() {
    const office = await anOffice();
    const { propertyId, bankAccountId } = await aFundedProperty(office, 100_000);
    const [business, accounts] = [await aBankAccount(office, "business"), await accountIdsByCode(office)];
    const line = (code: string, cents: number, change: object = {}) => ({
      accountId: accounts[code]!,
      ...(cents > 0 ? { debitCents: cents } : { creditCents: -cents }),
      ...(code === "1000" && { bankAccountId }),
      ...change,
    });
    const at = { propertyId };
    const post = (...lines: ReturnType<typeof line>[]) =>
      office.attempt("createJournalEntry", { body: { memo: "Manual entry", occurredAt: onJanuary(10), status: "posted", lines } });
    const transfer = async (amountCents: number, change: object = {}) => {
      const places = { fromBankAccountId: bankAccountId, toBankAccountId: business, ...change };
      const { status, body } = await office.attempt("createTransfer", { body: { ...places, amountCents, occurredAt: onJanuary(12) } });
      return [status, body.code];
    };
    return { office, bankAccountId, business, line, at, post, transfer };
  }
  const refused = [409, "would_overdraw_ledger"];

  test("takes no money that a manual entry has moved from a property, also by way of another trust account", async () => {
    const { office, line, at, post, transfer } = await anAccountWithRent();
    const reserve = await aBankAccount(office, "reserve");
    const { body } = await post(line("1000", 90_000), line("1000", -90_000, at));
    expect(await transfer(90_000)).toEqual(refused);
    expect(await transfer(1)).toEqual(refused);
    expect(await transfer(60_000, { toBankAccountId: reserve })).toEqual([200, undefined]);
    expect(await transfer(1, { fromBankAccountId: reserve })).toEqual(refused);
    // Equity is not earned, either.
    expect((await post(line("1000", 500), line("3000", -500))).status).toBe(200);
    expect(await transfer(1)).toEqual(refused);
    const { status } = await office.attempt("reverseJournalEntry", { params: { id: body.journalEntry.id }, body: {} });
    expect(status).toBe(409);
  });

  test("takes what the company has earned: fees and interest, and what it has put in or advanced to a property and taken back", async () => {
    const { office, bankAccountId, business, line, at, post, transfer } = await anAccountWithRent();
    await post(line("5040", 10_000, at), line("1000", -10_000, at), line("1000", 10_000), line("4060", -10_000));
    expect([await transfer(10_001), await transfer(10_000)]).toEqual([refused, [200, undefined]]);
    await office.call("createBankAdjustment", { params: { id: bankAccountId }, body: { kind: "interest", amountCents: 300, occurredOn: "2026-01-11" } });
    expect([await transfer(301), await transfer(300)]).toEqual([refused, [200, undefined]]);
    expect(await transfer(5_000, { fromBankAccountId: business, toBankAccountId: bankAccountId })).toEqual([200, undefined]);
    await post(line("1000", 2_000, at), line("1000", -2_000));
    expect(await transfer(3_001)).toEqual(refused);
    await post(line("1000", 2_500), line("1000", -2_500, at));
    expect([await transfer(5_001), await transfer(5_000)]).toEqual([refused, [200, undefined]]);
  });

  test("by a manual entry takes no money that the transfer would not take, with or without a property, in one entry or two", async () => {
    const { business, line, at, post, transfer } = await anAccountWithRent();
    const toBusiness = (cents: number, change: object = {}) => line("1090", cents, { bankAccountId: business, ...change });
    const codeOf = async (...lines: Parameters<typeof post>) => {
      const { status, body } = await post(...lines);
      return [status, body.code];
    };
    const permitted = [200, undefined];
    expect(await codeOf(toBusiness(10_000), line("1000", -10_000, at))).toEqual(refused);
    expect(await codeOf(toBusiness(10_000, at), line("1000", -10_000, at))).toEqual(refused);
    expect(await codeOf(line("1000", 10_000), line("1000", -10_000, at))).toEqual(permitted);
    expect(await codeOf(toBusiness(10_000), line("1000", -10_000))).toEqual(refused);
    // A fee is earned.
    expect(await codeOf(line("5040", 5_000, at), line("1000", -5_000, at), toBusiness(5_000), line("4060", -5_000))).toEqual(permitted);
    // Money that the company has paid for a property may be taken back.
    expect(await codeOf(line("5090", 3_000, at), toBusiness(-3_000, at))).toEqual(permitted);
    expect([await codeOf(toBusiness(3_001, at), line("1000", -3_001, at)), await codeOf(toBusiness(3_000, at), line("1000", -3_000, at))]).toEqual([
      refused,
      permitted,
    ]);
    expect(await transfer(1)).toEqual(refused);
  });

  test("and a manual entry that pays a cost of the company takes no money that an entry has moved from a property, unless it goes back", async () => {
    const { office, line, at, post } = await anAccountWithRent();
    const codeOf = async (...lines: Parameters<typeof post>) => {
      const { status, body } = await post(...lines);
      return [status, body.code];
    };
    const [permitted, short] = [
      [200, undefined],
      [409, "insufficient_trust_funds"],
    ];
    const cost = (cents: number, change: object = {}) => codeOf(line("5090", cents, change), line("1000", -cents));
    expect(await codeOf(line("1000", 5_000), line("1000", -5_000, at))).toEqual(permitted);
    expect(await cost(5_000)).toEqual(short);
    const { body } = await office
      .call("createJournalEntry", {
        body: { memo: "Draft", occurredAt: onJanuary(10), status: "draft", lines: [line("5090", 1), line("1000", -1)] },
      })
      .then((response) => office.attempt("postJournalEntry", { params: { id: response.journalEntry.id }, body: {} }));
    expect(body.code).toBe("insufficient_trust_funds");
    // The company pays what it has put in or earned, and a cost of the property with the property's money.
    expect(await codeOf(line("1000", 700), line("3000", -700))).toEqual(permitted);
    expect([await cost(701), await cost(700)]).toEqual([short, permitted]);
    expect(await codeOf(line("5040", 1_000, at), line("1000", -1_000, at), line("1000", 1_000), line("4060", -1_000))).toEqual(permitted);
    expect([await cost(1_001), await cost(1_000)]).toEqual([short, permitted]);
    expect(await cost(2_000, at)).toEqual(permitted);
    expect(await codeOf(line("1000", 3_000, at), line("1000", -3_000))).toEqual(permitted);
  });

  test("and what the company has earned from a property cannot be given back by an entry without a bank account once it has left", async () => {
    const { office, business, bankAccountId, line, at, post, transfer } = await anAccountWithRent();
    const short = [409, "insufficient_trust_funds"];
    const codeOf = async (...lines: Parameters<typeof post>) => {
      const { status, body } = await post(...lines);
      return [status, body.code];
    };
    const giveBack = (cents: number) => codeOf(line("4060", cents), line("5040", -cents, at));
    // A company that has used nothing may owe its properties what it gives them.
    expect(await giveBack(100)).toEqual([200, undefined]);
    const { body } = await post(line("5040", 10_100, at), line("4060", -10_100));
    const reverse = async () => {
      const reversal = await office.attempt("reverseJournalEntry", { params: { id: body.journalEntry.id }, body: {} });
      return [reversal.status, reversal.body.code];
    };
    await post(line("1000", 10_000), line("1000", -10_000, at));
    expect(await transfer(6_000)).toEqual([200, undefined]);
    expect([await reverse(), await giveBack(4_001), await giveBack(4_000)]).toEqual([short, short, [200, undefined]]);
    expect(await transfer(1)).toEqual([409, "would_overdraw_ledger"]);
    // Nor with lines on a bank account that move nothing of the company.
    const idle = [line("1090", 5, { bankAccountId: business }), line("1090", -5, { bankAccountId: business })];
    expect(await codeOf(line("4060", 10), line("5040", -10, at), ...idle)).toEqual(short);
    expect(await transfer(10_100, { fromBankAccountId: business, toBankAccountId: bankAccountId })).toEqual([200, undefined]);
    expect(await reverse()).toEqual([200, undefined]);
  });

  test("and one entry pays no cost or distribution of the company with money of a property, as two do not, unless the company has earned as much", async () => {
    const { office, business, line, at, post, transfer } = await anAccountWithRent();
    const short = [409, "insufficient_trust_funds"];
    const pay = async (code: string, cents: number, ...others: Parameters<typeof post>) => {
      const { status, body } = await post(line(code, cents), line("1000", -cents, at), ...others);
      return [status, body.code];
    };
    expect([await pay("5090", 1), await pay("3200", 1), await pay("5090", 1, line("4060", 1), line("5040", -1, at))]).toEqual([short, short, short]);
    const idle = [line("1090", 5, { bankAccountId: business }), line("1090", -5, { bankAccountId: business })];
    expect(await pay("5090", 1, ...idle)).toEqual(short);
    await post(line("5040", 1_000, at), line("1000", -1_000, at), line("1000", 1_000), line("4060", -1_000));
    expect([await pay("5090", 1_001), await pay("5090", 600), await pay("3200", 401), await pay("3200", 400)]).toEqual([
      short,
      [200, undefined],
      short,
      [200, undefined],
    ]);
    expect(await transfer(1)).toEqual([409, "would_overdraw_ledger"]);
    // Money that the company puts in at a property is the property's. It can be reversed.
    const { body } = await post(line("1000", 500, at), line("3000", -500));
    expect([await pay("3200", 1), await transfer(1)]).toEqual([short, [409, "would_overdraw_ledger"]]);
    const reversal = await office.attempt("reverseJournalEntry", { params: { id: body.journalEntry.id }, body: {} });
    expect(reversal.status).toBe(200);
  });
});

test("a transfer to a business account takes nothing while the company owes as much of returned fees back", async () => {
  const { office, bankAccountId } = await aManagedProperty();
  const { payments } = await office.call("listPayments", {});
  const business = await aBankAccount(office, "business");
  const transfer = async (amountCents: number) => {
    const body = { fromBankAccountId: bankAccountId, toBankAccountId: business, amountCents, occurredAt: new Date().toISOString() };
    const { status, body: response } = await office.attempt("createTransfer", { body });
    return [status, response.code];
  };
  await aRun(office);
  expect(await transfer(10_000)).toEqual([200, undefined]);
  await office.call("reversePayment", { params: { id: payments[0]!.id }, body: { reason: "nsf" } });
  const other = await aFundedProperty(office, 100_000, bankAccountId);
  await anAgreement(office, other.propertyId);
  expect(await aRun(office, { propertyIds: [other.propertyId] })).toMatchObject({ collectedCents: 10_000 });
  expect([await transfer(10_000), await transfer(1)]).toEqual([
    [409, "would_overdraw_ledger"],
    [409, "would_overdraw_ledger"],
  ]);
});
