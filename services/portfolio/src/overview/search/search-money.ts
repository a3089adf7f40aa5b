/** What the ledger finds: payments and charges. */
import type { SearchResult } from "@freehold/contract/overview/search";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { TransactionMatch } from "@freehold/proto/ledger/v1/ledger";
import type { Clients } from "../../clients.ts";
import type { SearchHits } from "./search.queries.ts";
import { isAmount, likePattern, normalizeText } from "./search.rules.ts";

const moneyTypes = ["payment", "charge"] as const;
type MoneyType = (typeof moneyTypes)[number];

export const isLedgerType = (type: SearchResult["type"]): type is MoneyType => (moneyTypes as readonly string[]).includes(type);

/** What portfolio keeps itself. */
export type PortfolioType = Exclude<SearchResult["type"], MoneyType>;
export const isPortfolioType = (type: SearchResult["type"]): type is PortfolioType => !isLedgerType(type);

/** Payments and charges that have all the terms, the newest of each; nothing has two amounts, or one beyond counting. The ledger must answer. */
export async function searchLedger(db: OrgDb, clients: Clients, terms: readonly string[], types: readonly MoneyType[], limit: number): Promise<SearchHits> {
  const amounts = [...new Set(terms.filter(isAmount))];
  const countable = amounts.every((term) => Number.isSafeInteger(Number(term.slice(1))));
  if (types.length === 0 || amounts.length > 1 || !countable) return { found: [], counts: {} };
  const [amount] = amounts.map((term) => Number(term.slice(1)));
  const patterns = terms.filter((term) => !isAmount(term)).map(likePattern);
  const { matches: found, counts } = await clients.ledger.searchTransactions(db, {
    types: [...types],
    patterns,
    ...(amount !== undefined && { amountCents: amount }),
    limit,
  });
  return { found: found.map(shown), counts: Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)) };
}

const dollars = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD" });

function shown({ type, id, amountCents, tenantName, name, memo, checkNumber, day }: TransactionMatch): SearchHits["found"][number] {
  const amount = dollars.format(amountCents / 100);
  const parts = type === "payment" ? [tenantName, checkNumber && `check ${checkNumber}`, day] : [amount, tenantName, `due ${day}`];
  return {
    type: type as MoneyType,
    id,
    title: type === "payment" ? `Payment of ${amount}` : name!,
    subtitle: parts.filter(Boolean).join(", "),
    words: ` ${normalizeText([name, memo, checkNumber, tenantName].filter(Boolean).join(" "))} $${amountCents} `,
    likeness: null,
  };
}
