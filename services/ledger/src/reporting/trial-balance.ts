/** Trial balance on the accrual or cash basis. */
import type { accountingReports } from "@freehold/contract/ledger/accounting-reports";
import type { Output, QueryOf } from "@freehold/contract/operation";
import { today } from "@freehold/kit/time/clock";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import { clampToSafeInteger } from "@freehold/domain/money";
import { listCategories } from "../chart/categories.ts";
import { accountMovements } from "./account-movements.ts";
import { readReport } from "./ledger-version.ts";
import { requireStartByEnd } from "./report-dates.rules.ts";

type Operation = typeof accountingReports.operations.getTrialBalance;
type TrialBalance = Output<Operation>["trialBalance"];

/** Sums of an account in cents, as text, because they may exceed the largest safe integer. */
interface AccountSums {
  accountId: string;
  openingCents: string;
  debitCents: string;
  creditCents: string;
}

/** Returns opening balance, debits, credits and closing balance of every account as of a date or for a period. */
export async function getTrialBalance(db: OrgDb, query: QueryOf<Operation>): Promise<TrialBalance> {
  const asOf = query.asOf ?? query.to ?? today(db.principal.timezone);
  const from = query.from;
  requireStartByEnd(from, asOf);
  const { rows: sums, ledgerVersion } = await readReport(db, query.ledgerVersion, (version) =>
    sumMovements(accountMovements(db, { ...query, ledgerVersion: version }, from, asOf), from),
  );
  const accounts = await listCategories(db);
  return { asOf, basis: query.basis, ledgerVersion, ...balanceAccounts(accounts, new Map(sums.map((row) => [row.accountId, row]))) };
}

/** Returns the balance in cents of every account as of a date on the accrual basis, by code, of one property or of all. */
export async function readClosingBalances(db: OrgDb, asOf: string, propertyId: string | undefined): Promise<Map<string, bigint>> {
  const [accounts, sums] = await Promise.all([
    listCategories(db),
    db.all(sumMovements(accountMovements(db, { basis: "accrual", propertyId }, undefined, asOf), undefined)),
  ]);
  const codes = new Map(accounts.map(({ id, code }) => [id, code]));
  return new Map(sums.map(({ accountId, debitCents, creditCents }) => [codes.get(accountId)!, BigInt(debitCents) - BigInt(creditCents)]));
}

const sumMovements = (movements: RawBuilder<unknown>, from: string | undefined) => sql<AccountSums>`
  select account_id, coalesce(sum(debit_cents - credit_cents) filter (where day < ${from ?? "0001-01-01"}::date), 0)::text as opening_cents,
    coalesce(sum(debit_cents) filter (where day >= ${from ?? "0001-01-01"}::date), 0)::text as debit_cents,
    coalesce(sum(credit_cents) filter (where day >= ${from ?? "0001-01-01"}::date), 0)::text as credit_cents
  from (${movements}) as movement group by account_id`;

function balanceAccounts(
  accounts: Awaited<ReturnType<typeof listCategories>>,
  sumsByAccount: Map<string, AccountSums>,
): Omit<TrialBalance, "asOf" | "basis" | "ledgerVersion"> {
  // Sums are exact until they are clamped for the response.
  const exactRows = accounts.map(({ id, code, name, accountType }) => {
    const sums = sumsByAccount.get(id);
    const [openingCents, debitCents, creditCents] = [BigInt(sums?.openingCents ?? 0), BigInt(sums?.debitCents ?? 0), BigInt(sums?.creditCents ?? 0)];
    const account = { accountId: id, accountCode: code, accountName: name, accountType };
    return { account, openingCents, debitCents, creditCents, closingCents: openingCents + debitCents - creditCents };
  });
  const total = (column: "openingCents" | "debitCents" | "creditCents" | "closingCents") => exactRows.reduce((sum, row) => sum + row[column], 0n);
  const [debitTotalCents, creditTotalCents] = [total("debitCents"), total("creditCents")];
  return {
    rows: exactRows.map(({ account, openingCents, debitCents, creditCents, closingCents }) => ({
      ...account,
      openingCents: clampToSafeInteger(openingCents),
      debitCents: clampToSafeInteger(debitCents),
      creditCents: clampToSafeInteger(creditCents),
      closingCents: clampToSafeInteger(closingCents),
    })),
    debitTotalCents: clampToSafeInteger(debitTotalCents),
    creditTotalCents: clampToSafeInteger(creditTotalCents),
    isBalanced: debitTotalCents === creditTotalCents && total("closingCents") === 0n && total("openingCents") === 0n,
  };
}
