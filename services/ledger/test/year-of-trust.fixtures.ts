/** The work of the trust accountant of `year-of-trust.test.ts`. Amounts are dollars, and days are days of 2025, `MM-DD`. */
import { expect } from "@jest/globals";
import { endOfMonth } from "@freehold/kit/time/plain-date";
import { randomUUID } from "node:crypto";
import { anOffice, type Office } from "../../../test/support/office.ts";
import { aTenancy, type Tenancy } from "../../../test/support/tenancy.ts";
import { aPayee } from "../src/owners/owners.fixtures.ts";
import { anAgreement } from "../src/payables/management-fees/management-fees.fixtures.ts";
import { aVendor } from "../src/payables/payables.fixtures.ts";
import { periodOf } from "../src/periods/periods.fixtures.ts";
import { aBankAccount } from "../src/trust/trust.fixtures.ts";
import { compareRows } from "./histories/trust/trust-books.ts";
import { waitForDailyJobs } from "./ledger.fixtures.ts";

export const dateOf = (day: string) => `2025-${day}`;
const noonOf = (day: string) => `${dateOf(day)}T17:00:00.000Z`;
const lastDayOf = (month: string) => endOfMonth(dateOf(`${month}-01`)).slice(5);
export const cents = (dollars: number): number => Math.round(dollars * 100);
export const dollars = (amountCents: number): number => amountCents / 100;

export type PropertyName = "elm" | "oak" | "pine";
export type OwnerName = "olga" | "pat" | "quinn";
export type AccountName = "pooled" | "separate" | "escrow";
/** Statement, outstanding checks, books and what is owed to the beneficiaries at the end of a month. */
export type Proof = [statement: number, outstanding: number, book: number, owed: number];

/** Opens the office with its owners, properties with a tenant each, bank accounts and agreements. */
export async function openTrust() {
  const office = await anOffice();
  await waitForDailyJobs(office);
  const owners = { olga: await aPayee(office, "Olga"), pat: await aPayee(office, "Pat"), quinn: await aPayee(office, "Quinn") };
  const properties = {
    elm: await aManagedHome(office, { [owners.olga]: 10_000 }, { percentBps: 1_000 }),
    oak: await aManagedHome(office, { [owners.olga]: 10_000 }, { percentBps: 800, minimumCents: cents(90) }),
    pine: await aManagedHome(office, { [owners.pat]: 6_000, [owners.quinn]: 4_000 }, { percentBps: 500, minimumCents: cents(90) }),
  };
  await office.call("updateProperty", { params: { id: properties.oak.propertyId }, body: { reserveCents: cents(500) } });
  const separate = { name: "Olga's account", institutionName: "First Bank", accountMask: "7788", accountType: "operating" as const, ownerId: owners.olga };
  const accounts = {
    pooled: await aBankAccount(office, "operating"),
    separate: (await office.call("createBankAccount", { body: separate })).bankAccount.id,
    escrow: await aBankAccount(office, "security_deposit"),
  };
  return { office, owners, properties, accounts, manager: await aVendor(office, "The management company") };
}
export type Trust = Awaited<ReturnType<typeof openTrust>>;

async function aManagedHome(office: Office, shares: Record<string, number>, agreement: object): Promise<Tenancy> {
  const home = await aTenancy(office, { startDate: dateOf("01-01") });
  const body = { effectiveDate: dateOf("01-01"), shares: Object.entries(shares).map(([ownerId, shareBps]) => ({ ownerId, shareBps })) };
  await office.call("replaceOwnership", { params: { id: home.propertyId }, body });
  await anAgreement(office, home.propertyId, { effectiveFrom: dateOf("01-01"), ...agreement });
  return home;
}

/** Daily work on the books. */
export function workOn({ office, owners, properties, accounts, manager }: Trust) {
  const home = (name: PropertyName) => properties[name];
  const payCheck = async (account: AccountName, day: string, expenses: readonly { id: string; outstandingCents: number }[], vendorId?: string) => {
    const allocations = expenses.map(({ id, outstandingCents }) => ({ expenseId: id, amountCents: outstandingCents }));
    const amountCents = allocations.reduce((sum, each) => sum + each.amountCents, 0);
    const terms = { paymentMethod: "check" as const, paidAt: noonOf(day), bankAccountId: accounts[account], ...(vendorId && { vendorId }) };
    await office.call("recordExpensePayment", { body: { ...terms, amountCents, allocations } });
  };
  return {
    chargeRent: (name: PropertyName, month: string, amount: number) =>
      office.call("createCharge", { body: { leaseId: home(name).leaseId, amountCents: cents(amount), dueDate: dateOf(`${month}-01`), chargeType: "rent" } }),

    /** Records a payment of a tenant, which settles the oldest charges, and returns its id. */
    async receive(name: PropertyName, day: string, amount: number): Promise<string> {
      const { tenantId, leaseId } = home(name);
      const terms = { paymentMethod: "check" as const, receivedAt: noonOf(day), idempotencyKey: randomUUID(), autoAllocate: true };
      return (await office.call("recordPayment", { body: { tenantId, leaseId, amountCents: cents(amount), ...terms } })).payment.id;
    },

    deposit: (account: AccountName, day: string, ...paymentIds: string[]) =>
      office.call("createDeposit", { body: { bankAccountId: accounts[account], depositedOn: dateOf(day), paymentIds } }),

    returnCheck: (paymentId: string, day: string, nsfFee: number, bankFee: number) =>
      office.call("reversePayment", {
        params: { id: paymentId },
        body: { reason: "nsf", reversedAt: noonOf(day), nsfFeeCents: cents(nsfFee), bankFeeCents: cents(bankFee) },
      }),

    async receiveSecurityDeposit(name: PropertyName, day: string, amount: number): Promise<string> {
      const amountCents = cents(amount);
      const terms = { leaseId: home(name).leaseId, requiredCents: amountCents, bankAccountId: accounts.escrow, chargeTenant: false };
      const { id } = (await office.call("createSecurityDeposit", { body: terms })).securityDeposit;
      const receipt = { amountCents, paymentMethod: "check" as const, receivedAt: noonOf(day), bankAccountId: accounts.escrow };
      await office.call("recordSecurityDepositReceipt", { params: { id }, body: receipt });
      return id;
    },

    /** Withholds amounts of a security deposit, and pays the rest back to the tenant on the same day. */
    async settleSecurityDeposit(id: string, day: string, deductions: [category: "cleaning" | "damage", amount: number][], refund: number): Promise<void> {
      await office.call("updateSecurityDeposit", { params: { id }, body: { moveOutDate: dateOf("09-30") } });
      for (const [category, amount] of deductions)
        await office.call("createSecurityDepositDeduction", { params: { id }, body: { category, description: category, amountCents: cents(amount) } });
      const letter = { sentAt: noonOf(day), method: "mail" as const, forwardingAddress: "9 Oak Street, Troy, NY 12180" };
      await office.call("finalizeSecurityDeposit", { params: { id }, body: letter });
      const body = { amountCents: cents(refund), method: "check" as const, bankAccountId: accounts.escrow, paidAt: noonOf(day) };
      await office.call("refundSecurityDeposit", { params: { id }, body });
    },

    transfer: (from: AccountName, to: AccountName, name: PropertyName, day: string, amount: number) =>
      office.call("createTransfer", {
        body: {
          fromBankAccountId: accounts[from],
          toBankAccountId: accounts[to],
          amountCents: cents(amount),
          occurredAt: noonOf(day),
          allocations: [{ propertyId: home(name).propertyId, amountCents: cents(amount) }],
        },
      }),

    contribute: (owner: OwnerName, name: PropertyName, account: AccountName, day: string, amount: number) =>
      office.call("createOwnerContribution", {
        params: { id: owners[owner] },
        body: {
          propertyId: home(name).propertyId,
          amountCents: cents(amount),
          bankAccountId: accounts[account],
          receivedAt: noonOf(day),
          paymentMethod: "check",
        },
      }),

    sell: (name: PropertyName, day: string, owner: OwnerName) =>
      office.call("replaceOwnership", {
        params: { id: home(name).propertyId },
        body: { effectiveDate: dateOf(day), shares: [{ ownerId: owners[owner], shareBps: 10_000 }] },
      }),

    bill: async (name: PropertyName, day: string, amount: number) =>
      (
        await office.call("createExpense", {
          body: { propertyId: home(name).propertyId, amountCents: cents(amount), incurredOn: dateOf(day), category: "maintenance" },
        })
      ).expense,

    payCheck,

    /** Charges the fees of a month on its last day, and pays them by one check of each account. Returns the fee of each property. */
    async chargeFees(month: string): Promise<Record<string, number>> {
      const period = { periodStart: dateOf(`${month}-01`), periodEnd: dateOf(lastDayOf(month)) };
      const { run } = await office.call("createManagementFeeRun", { body: { ...period, bankAccountId: null } });
      const expenses = await Promise.all(run.expenseIds.map(async (id) => (await office.call("getExpense", { params: { id } })).expense));
      const ofElm = expenses.filter(({ propertyId }) => propertyId === properties.elm.propertyId);
      await payCheck("separate", lastDayOf(month), ofElm, manager);
      const ofOthers = expenses.filter((expense) => !ofElm.includes(expense));
      await payCheck("pooled", lastDayOf(month), ofOthers, manager);
      const feeOf = ({ propertyId }: Tenancy) =>
        run.lines.filter((line) => line.propertyId === propertyId).reduce((sum, { amountCents }) => sum + dollars(amountCents), 0);
      return Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, feeOf(property)]));
    },

    /** Pays the owners what they can be paid on the last day of a month. Returns the payouts by property and owner. */
    async payOwners(month: string): Promise<Record<string, number>> {
      const periodEnd = dateOf(lastDayOf(month));
      const paid: Record<string, number> = {};
      const namesOf = (record: Record<string, unknown>, isSought: (value: unknown) => boolean) => Object.keys(record).find((name) => isSought(record[name]))!;
      for (const [account, names] of [
        ["separate", ["elm"]],
        ["pooled", ["oak", "pine"]],
      ] as const) {
        const propertyIds = names.map((name) => properties[name].propertyId);
        const { ownerPayables } = await office.call("runOwnerPayables", { body: { periodEnd, bankAccountId: accounts[account], propertyIds } });
        for (const { id } of ownerPayables) await office.call("approveOwnerPayable", { params: { id } });
        if (ownerPayables.length === 0) continue;
        await office.call("payOwnerPayables", { body: { ids: ownerPayables.map(({ id }) => id), paidAt: noonOf(lastDayOf(month)) } });
        for (const { propertyId, ownerId, amountCents } of ownerPayables) {
          const name = namesOf(properties, (property) => (property as Tenancy).propertyId === propertyId);
          paid[`${name} ${namesOf(owners, (owner) => owner === ownerId)}`] = dollars(amountCents);
        }
      }
      return paid;
    },

    /** Closes a month, whose checklist must find exactly the given points. */
    async close(month: string, findings: string[] = []): Promise<void> {
      const { id } = await periodOf(office, `2025-${month}`);
      const { status, body } = await office.attempt("closeAccountingPeriod", { params: { id }, body: {} });
      expect([month, status, (body.errors ?? []).map(({ path }) => path)]).toEqual([month, findings.length === 0 ? 200 : 409, findings]);
      if (findings.length > 0) await office.call("closeAccountingPeriod", { params: { id }, body: { force: true, note: "Known." } });
    },

    /** Returns the sub-ledgers of a bank account at the end of a day as `[kind, property, dollars]`. */
    async subLedgers(account: AccountName, day: string): Promise<[string, string, number][]> {
      const { subLedgers } = await office.call("listSubLedgers", { params: { id: accounts[account] }, query: { asOf: dateOf(day) } });
      const nameOf = (propertyId: string | null) => Object.entries(properties).find(([, property]) => property.propertyId === propertyId)?.[0] ?? "none";
      return subLedgers
        .map(({ kind, propertyId, balanceCents }): [string, string, number] => [kind, nameOf(propertyId), dollars(balanceCents)])
        .toSorted(compareRows);
    },
  };
}

/** Reconciles the bank accounts with their statements. */
export function reconcilerOf({ office, accounts }: Trust) {
  const readItems = async (id: string) => (await office.call("listReconciliationItems", { params: { id }, query: { pageSize: "100" } })).items;
  const draft = async (account: AccountName, month: string, statement: number) =>
    (
      await office.call("createReconciliation", {
        body: { bankAccountId: accounts[account], statementEndDate: dateOf(lastDayOf(month)), statementEndingBalanceCents: cents(statement) },
      })
    ).reconciliation.id;
  const finalize = async (id: string): Promise<Proof> => {
    const { reconciliation } = await office.call("finalizeReconciliation", { params: { id }, body: {} });
    const { threeWay, statementEndingBalanceCents, differenceCents } = reconciliation;
    expect([threeWay!.isBalanced, differenceCents, threeWay!.adjustedBankCents]).toEqual([true, 0, threeWay!.bookCents]);
    const outstandingCents = statementEndingBalanceCents - threeWay!.adjustedBankCents;
    return [dollars(statementEndingBalanceCents), dollars(outstandingCents), dollars(threeWay!.bookCents), dollars(threeWay!.liabilityCents)];
  };
  return {
    draft,
    finalize,
    /** Finalizes a month of an account. The bank has not seen the checks of its last day. */
    async reconcile(account: AccountName, month: string, statement: number): Promise<Proof> {
      const id = await draft(account, month, statement);
      const seen = (await readItems(id)).filter(({ date, amountCents }) => amountCents > 0 || date < dateOf(lastDayOf(month)));
      if (seen.length > 0) await office.call("clearTransactions", { params: { id }, body: { transactionIds: seen.map(({ transactionId }) => transactionId) } });
      return finalize(id);
    },
    /** Uploads a statement of lines `[day, dollars]` and returns the id of the upload. */
    async upload(account: AccountName, lines: readonly [day: string, amount: number][]): Promise<string> {
      const csv = ["Date,Amount,Description", ...lines.map(([day, amount]) => `${dateOf(day)},${amount.toFixed(2)},Line`), ""].join("\n");
      const body = { file: new File([csv], "statement.csv") };
      return (await office.call("uploadStatementLines", { params: { id: accounts[account] }, body })).statementUpload.id;
    },
    deleteUpload: (account: AccountName, uploadId: string) => office.attempt("deleteStatementUpload", { params: { id: accounts[account], uploadId } }),
    async autoMatch(id: string) {
      const { autoMatch, reconciliation } = await office.call("autoMatchReconciliation", { params: { id }, body: {} });
      return { matched: autoMatch.matchedTransactions, unmatched: autoMatch.unmatchedLines, difference: dollars(reconciliation.differenceCents) };
    },
    attemptFinalize: (id: string) => office.attempt("finalizeReconciliation", { params: { id }, body: {} }),
    /** Takes back what is cleared, with its matches. */
    async unclear(id: string): Promise<void> {
      const transactionIds = (await readItems(id)).filter(({ isCleared }) => isCleared).map(({ transactionId }) => transactionId);
      await office.call("unclearTransactions", { params: { id }, body: { transactionIds } });
    },
  };
}
