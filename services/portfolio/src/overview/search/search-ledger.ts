/** Search of the ledger's payments, charges and expenses. */
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { TransactionMatch } from "@freehold/proto/ledger/v1/ledger";
import type { Clients } from "../../clients.ts";
import type { SearchHits } from "./search.queries.ts";
import { centsOfTerm, isAmount, likePattern, normalizeText, type LedgerType } from "./search.rules.ts";

/**
 * Searches payments, charges and expenses that match all terms, the newest of each. Two different amounts, or an amount above the
 * largest safe integer, match nothing. Throws when the ledger is unavailable.
 */
export async function searchLedger(db: OrgDb, clients: Clients, terms: readonly string[], types: readonly LedgerType[], limit: number): Promise<SearchHits> {
  const amounts = [...new Set(terms.filter(isAmount).map(centsOfTerm))];
  if (types.length === 0 || amounts.length > 1 || !amounts.every(Number.isSafeInteger)) return { hits: [], counts: {} };
  const [amountCents] = amounts;
  const patterns = terms.filter((term) => !isAmount(term)).map(likePattern);
  const { matches, counts } = await clients.ledger.searchTransactions(db, {
    types: [...types],
    patterns,
    ...(amountCents !== undefined && { amountCents }),
    limit,
  });
  return { hits: matches.map(transactionHit), counts: Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)) };
}

const dollars = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD" });

/** Returns the title of a match and the details of its subtitle. */
function titleAndDetails({ type, name, memo, ...match }: TransactionMatch, amount: string): [title: string, ...details: (string | undefined)[]] {
  const { tenantName, vendorName, checkNumber, invoiceNumber, day } = match;
  switch (type as LedgerType) {
    case "payment":
      return [`Payment of ${amount}`, tenantName, checkNumber && `check ${checkNumber}`, day];
    case "charge":
      return [name!, amount, tenantName, `due ${day}`];
    case "expense":
      return [name ?? memo ?? `Expense of ${amount}`, amount, vendorName, invoiceNumber && `invoice ${invoiceNumber}`, day];
  }
}

function transactionHit(match: TransactionMatch): SearchHits["hits"][number] {
  const { type, id, amountCents, tenantName, vendorName, name, memo, checkNumber, invoiceNumber } = match;
  const [title, ...details] = titleAndDetails(match, dollars.format(amountCents / 100));
  const words = [name, memo, checkNumber, invoiceNumber, tenantName, vendorName].filter(Boolean).join(" ");
  return {
    type: type as LedgerType,
    id,
    title,
    subtitle: details.filter(Boolean).join(", "),
    words: ` ${normalizeText(words)} $${amountCents} `,
    similarity: null,
  };
}
