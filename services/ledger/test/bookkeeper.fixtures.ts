/** Premises, leases, daily work and reports of the bookkeeper of `bookkeepers-year.test.ts`. All dates are days of 2025, `MM-DD`. */
import { expect } from "@jest/globals";
import { endOfMonth } from "@freehold/kit/time/plain-date";
import { randomUUID } from "node:crypto";
import { anOffice, type Office } from "../../../test/support/office.ts";
import { accountIdsByCode } from "../src/journal/journal.fixtures.ts";
import { periodOf } from "../src/periods/periods.fixtures.ts";
import { waitForDailyJobs } from "./ledger.fixtures.ts";

const dateOf = (day: string) => `2025-${day}`;
const noonOf = (day: string) => `${dateOf(day)}T17:00:00.000Z`;
/** Converts dollars with at most two decimals to cents. */
export const cents = (dollars: number): number => Math.round(dollars * 100);

interface LeaseTerms {
  tenantId: string;
  startDate: string;
  rent: number;
  coTenantId?: string;
  termType?: "fixed" | "month_to_month";
  /** Flat late fee after three days of grace. */
  lateFee?: number;
}

/** Signs up an office with two properties and four tenants, of whom Ann and Ben share a unit. */
export async function openBooks() {
  const office = await anOffice();
  await waitForDailyJobs(office);
  const [elm, oak] = [await createProperty(office, "Elm Street 1", 2), await createProperty(office, "Oak Street 2", 1)];
  const [annsUnit, dansUnit, carasUnit] = [await createUnit(office, elm, "1"), await createUnit(office, elm, "2"), await createUnit(office, oak, "1")];
  const [ann, ben, cara, dan] = [
    await createTenant(office, "Ann"),
    await createTenant(office, "Ben"),
    await createTenant(office, "Cara"),
    await createTenant(office, "Dan"),
  ];
  const accountIds = await accountIdsByCode(office);

  return {
    office,
    accountIds,
    properties: { elm, oak },
    units: { annsUnit, dansUnit, carasUnit },
    tenants: { ann, ben, cara, dan },

    /** Creates and activates a lease and returns its id. A fixed one ends in 2099. */
    async signLease(propertyId: string, unitId: string, { tenantId, startDate, rent, coTenantId, termType = "fixed", lateFee }: LeaseTerms): Promise<string> {
      const { lease } = await office.call("createLease", {
        body: {
          propertyId,
          unitId,
          tenantId,
          startDate: dateOf(startDate),
          termType,
          ...(termType === "fixed" && { endDate: "2099-12-31" }),
          ...(coTenantId && { occupants: [{ tenantId: coTenantId, role: "co_tenant" as const }] }),
          ...(lateFee && { lateFeeType: "flat" as const, lateFeeAmountCents: cents(lateFee), lateFeeGraceDays: 3 }),
          rentCents: cents(rent),
          activate: true,
        },
      });
      return lease.id;
    },

    /** Renews a lease until 2099 with another rent and returns the id of the renewal. */
    async renew(leaseId: string, startDate: string, rent: number): Promise<string> {
      const terms = { startDate: dateOf(startDate), endDate: "2099-12-31", termType: "fixed" as const, rentCents: cents(rent) };
      const { lease } = await office.call("renewLease", { params: { id: leaseId }, body: terms });
      await office.call("activateLease", { params: { id: lease.id }, body: {} });
      return lease.id;
    },

    /** Posts the rent that is due by the end of a month, `MM`. */
    postRent: (month: string) => office.call("postDueCharges", { body: { throughDate: endOfMonth(dateOf(`${month}-01`)) } }),

    chargeDeposit: (leaseId: string, day: string, dollars: number) =>
      office.call("createCharge", { body: { leaseId, dueDate: dateOf(day), amountCents: cents(dollars), chargeType: "deposit" } }),

    /** Records a payment, which settles the oldest open charges of the lease, and returns its id. */
    async receive(day: string, tenantId: string, leaseId: string, dollars: number): Promise<string> {
      const terms = { paymentMethod: "check" as const, receivedAt: noonOf(day), idempotencyKey: randomUUID(), autoAllocate: true };
      return (await office.call("recordPayment", { body: { tenantId, leaseId, amountCents: cents(dollars), ...terms } })).payment.id;
    },

    /** Deposits payments in the bank account with a code, by default in the operating account. */
    deposit: (day: string, paymentIds: string[], code: "1000" | "1010" = "1000") =>
      office.call("createDeposit", { body: { bankAccountId: accountIds[code]!, depositedOn: dateOf(day), paymentIds } }),

    /** Applies the credit of a payment to open charges. */
    applyCredit: (paymentId: string) => office.call("autoAllocatePayment", { params: { id: paymentId }, body: {} }),

    /** Records that a check was returned for insufficient funds. */
    returnCheck: (paymentId: string, day: string, nsfFee: number, bankFee: number) =>
      office.call("reversePayment", {
        params: { id: paymentId },
        body: { reason: "nsf", reversedAt: noonOf(day), nsfFeeCents: cents(nsfFee), bankFeeCents: cents(bankFee) },
      }),

    /** Credits the only open charge of a lease. */
    async giveCredit(leaseId: string, day: string, dollars: number, reason: "waive" | "concession"): Promise<void> {
      const { charges } = await office.call("listCharges", { query: { leaseId, status: "pending" as never } });
      expect(charges).toHaveLength(1);
      await office.call("creditCharge", { params: { id: charges[0]!.id }, body: { amountCents: cents(dollars), reason, creditedOn: dateOf(day) } });
    },

    refund: (paymentId: string, day: string, dollars: number) =>
      office.call("refundPayment", {
        params: { id: paymentId },
        body: { amountCents: cents(dollars), method: "check", bankAccountId: accountIds["1000"]!, refundedAt: noonOf(day) },
      }),

    terminate: (leaseId: string, day: string) => office.call("terminateLease", { params: { id: leaseId }, body: { terminationDate: dateOf(day) } }),

    /**
     * Assesses late fees at the end of a month, `MM`, and closes the month. If checks are given, expects the close to be refused for
     * exactly these checks, and forces it.
     */
    async close(month: string, failedChecks: string[] = []): Promise<void> {
      await office.call("assessLateFees", { body: { asOf: endOfMonth(dateOf(`${month}-01`)) } });
      const { id } = await periodOf(office, `2025-${month}`);
      const { status, body } = await office.attempt("closeAccountingPeriod", { params: { id }, body: {} });
      expect([month, status, (body.errors ?? []).map(({ path }) => path)]).toEqual([month, failedChecks.length === 0 ? 200 : 409, failedChecks]);
      if (failedChecks.length > 0) await office.call("closeAccountingPeriod", { params: { id }, body: { force: true, note: "The tenant keeps the credit." } });
      expect((await periodOf(office, `2025-${month}`)).status).toBe("closed");
    },
  };
}
export type Books = Awaited<ReturnType<typeof openBooks>>;

async function createProperty(office: Office, name: string, units: number): Promise<string> {
  const address = { streetLine1: name, city: "Albany", state: "NY", postalCode: "12207" };
  return (await office.call("createProperty", { body: { name, ...address, units, occupiedUnits: 0 } })).property.id;
}
const createUnit = async (office: Office, propertyId: string, unitNumber: string): Promise<string> =>
  (await office.call("createUnit", { body: { propertyId, unitNumber, monthlyRentCents: 100_000 } })).unit.id;
const createTenant = async (office: Office, fullName: string): Promise<string> => (await office.call("createTenant", { body: { fullName } })).tenant.id;

/** Debits, credits and closing balance of an account in a month, in dollars. */
export type MonthOfAccount = [month: string, debits: number, credits: number, balance: number];

/** Reads the general ledger of an account for 2025, page by page, and returns the months with lines, in cents. */
export async function readAccount({ office, accountIds }: Books, code: string, basis: "accrual" | "cash" = "accrual"): Promise<MonthOfAccount[]> {
  const months = new Map<string, MonthOfAccount>();
  for (let page = 1, totalPages = 1; page <= totalPages; page++) {
    const query = { accountId: accountIds[code]!, from: "2025-01-01", to: "2025-12-31", basis, pageSize: 40, page };
    const ledger = await office.call("listGeneralLedger", { query });
    for (const { date, debitCents, creditCents, balanceCents } of ledger.entries) {
      const month = date.slice(5, 7);
      const [, debits, credits] = months.get(month) ?? [month, 0, 0];
      months.set(month, [month, debits + debitCents, credits + creditCents, balanceCents]);
    }
    totalPages = ledger.totalPages;
  }
  return [...months.values()];
}

/** Debits, credits and closing balance of the accounts by code; those without movement are left out. */
export async function readTrialBalance({ office }: Books, filter: { basis: "accrual" | "cash"; propertyId?: string }) {
  const { trialBalance } = await office.call("getTrialBalance", { query: { from: "2025-01-01", asOf: "2025-12-31", ...filter } });
  expect([trialBalance.isBalanced, trialBalance.debitTotalCents]).toEqual([true, trialBalance.creditTotalCents]);
  expect(trialBalance.rows.every(({ openingCents }) => openingCents === 0)).toBe(true);
  const moved = trialBalance.rows.filter(({ debitCents, creditCents }) => debitCents + creditCents > 0);
  return Object.fromEntries(moved.map(({ accountCode, debitCents, creditCents, closingCents }) => [accountCode, [debitCents, creditCents, closingCents]]));
}

/** Day (`MM-DD`), kind, amount with debits positive, and balance after the entry, in dollars. */
export type StatementLine = [day: string, kind: string, amount: number, balance: number];

const year = { from: "2025-01-01", to: "2025-12-31" };

/** Reads the statement of a tenant for 2025: its lines, and opening balance, debits, credits and closing balance, in cents. */
export async function readStatement({ office }: Books, tenantId: string) {
  const { statement } = await office.call("getTenantStatement", { params: { id: tenantId }, query: year });
  const { openingBalanceCents, debitTotalCents, creditTotalCents, closingBalanceCents } = statement;
  return {
    lines: statement.entries.map(({ date, kind, debitCents, creditCents, balanceCents }) => [date, kind, debitCents - creditCents, balanceCents]),
    totals: [openingBalanceCents, debitTotalCents, creditTotalCents, closingBalanceCents],
  };
}

/** Reads the statement of a tenant for 2025 as CSV and returns its lines, in cents. */
export async function readStatementCsv({ office }: Books, tenantId: string): Promise<[date: string, kind: string, amount: number, balance: number][]> {
  const { text } = await office.attempt("getTenantStatement", { params: { id: tenantId }, query: { ...year, format: "csv" } });
  const [header, ...rows] = text
    .replace("\uFEFF", "")
    .trim()
    .split("\r\n")
    .map((row) => row.split(","));
  expect(header!.slice(0, 6)).toEqual(["date", "kind", "description", "debitCents", "creditCents", "balanceCents"]);
  // A description with a comma is quoted, so the amounts are counted from the end of the row.
  return rows.map((row) => [row[0]!, row[1]!, Number(row.at(-5)) - Number(row.at(-4)), Number(row.at(-3))]);
}
