/** Search of the ledger's payments and charges. */
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { TransactionMatch } from "@freehold/proto/ledger/v1/ledger";
import type { Clients } from "../../clients.ts";
import type { SearchHits } from "./search.queries.ts";
import { isAmount, likePattern, normalizeText, type LedgerType } from "./search.rules.ts";

/**
 * Searches payments and charges that match all terms, the newest of each. Two different amounts, or an amount above the
 * largest safe integer, match nothing. Throws when the ledger is unavailable.
 */
export async function searchLedger(db: OrgDb, clients: Clients, terms: readonly string[], types: readonly LedgerType[], limit: number): Promise<SearchHits> {
  const amountTerms = [...new Set(terms.filter(isAmount))];
  const areSafe = amountTerms.every((term) => Number.isSafeInteger(Number(term.slice(1))));
  if (types.length === 0 || amountTerms.length > 1 || !areSafe) return { hits: [], counts: {} };
  const [amountCents] = amountTerms.map((term) => Number(term.slice(1)));
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

function transactionHit({ type, id, amountCents, tenantName, name, memo, checkNumber, day }: TransactionMatch): SearchHits["hits"][number] {
  const formattedAmount = dollars.format(amountCents / 100);
  const parts = type === "payment" ? [tenantName, checkNumber && `check ${checkNumber}`, day] : [formattedAmount, tenantName, `due ${day}`];
  return {
    type: type as LedgerType,
    id,
    title: type === "payment" ? `Payment of ${formattedAmount}` : name!,
    subtitle: parts.filter(Boolean).join(", "),
    words: ` ${normalizeText([name, memo, checkNumber, tenantName].filter(Boolean).join(" "))} $${amountCents} `,
    similarity: null,
  };
}
