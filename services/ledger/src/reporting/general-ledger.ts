/** General ledger: posted lines by date with the running balance of their account. */
import type { accountingReports, GeneralLedgerEntry } from "@freehold/contract/ledger/accounting-reports";
import type { Output, QueryOf } from "@freehold/contract/operation";
import { clampToSafeInteger } from "@freehold/domain/money";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { z } from "zod";
import { getChart, type Chart } from "../chart/categories.ts";
import { generalLedgerPage, type StoredEntry } from "./general-ledger.queries.ts";
import { readReport } from "./ledger-version.ts";

type Operation = typeof accountingReports.operations.listGeneralLedger;
type Entry = z.output<typeof GeneralLedgerEntry>;

/** Returns a page of the posted lines between two days, with the balances before and after these days. */
export async function listGeneralLedger(db: OrgDb, query: QueryOf<Operation>): Promise<Output<Operation>> {
  const [chart, { rows, ledgerVersion }] = await Promise.all([
    getChart(db),
    readReport(db, query.ledgerVersion, (version) => generalLedgerPage(db, { ...query, ledgerVersion: version })),
  ]);
  const { total, openingCents, closingCents } = rows[0]!;
  const { page, pageSize } = query;
  return {
    entries: rows.flatMap((row) => (row.entry === null ? [] : entryView(row.entry, row.balanceCents!, chart))),
    page,
    pageSize,
    total,
    totalPages: Math.max(1, Math.ceil(total / pageSize)),
    openingBalanceCents: clampToSafeInteger(BigInt(openingCents)),
    closingBalanceCents: clampToSafeInteger(BigInt(closingCents)),
    ledgerVersion,
  };
}

function entryView(entry: StoredEntry, balanceCents: string, chart: Chart): Entry {
  const account = chart.findAccount(entry.accountId)!;
  return { ...entry, accountCode: account.code, accountName: account.name, balanceCents: clampToSafeInteger(BigInt(balanceCents)) };
}
