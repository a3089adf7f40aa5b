/** Lists of people with their balances, which the ledger owns. */
import type { Cents } from "@freehold/contract/values";
import { isExport, onceOnExport } from "@freehold/kit/db/exports/once";
import type { Page } from "@freehold/kit/db/list";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OpenBalances } from "@freehold/proto/ledger/v1/ledger";
import type { Clients } from "../clients.ts";
import { joinBalances } from "./balances.queries.ts";

interface BalancedList<Row> {
  /** True when the list is sorted or filtered by balance. */
  needsAll: boolean;
  fetchAll: () => Promise<OpenBalances[]>;
  /** Returns a lookup of the balances of the rows on a page. */
  findSome: (ids: string[]) => Promise<(id: string) => Cents | null>;
  list: (balances: OpenBalances | undefined) => Promise<Page<Row>>;
}

/**
 * Returns a page with a lookup of the balances of its rows, which are null while the ledger is unavailable. A list that is sorted or filtered
 * by balance throws 503 then. All pages of an export show the balances of one state of the ledger.
 */
export async function listWithBalances<Row extends { id: string }>(
  db: OrgDb,
  clients: Clients,
  { needsAll, fetchAll, findSome, list }: BalancedList<Row>,
): Promise<Page<Row> & { balanceOf: (id: string) => Cents | null }> {
  if (isExport(db)) {
    const all = await onceOnExport(db, "balances", async () => {
      const parts = needsAll ? await fetchAll() : await clients.callOptionally(db, "ledger", fetchAll);
      return parts && { balances: joinBalances(parts), balanceOf: balanceLookup(parts) };
    });
    return { ...(await list(needsAll ? all?.balances : undefined)), balanceOf: all?.balanceOf ?? (() => null) };
  }
  const page = await list(needsAll ? joinBalances(await fetchAll()) : undefined);
  return { ...page, balanceOf: await findSome(page.rows.map(({ id }) => id)) };
}

const elementsOf = (arrayLiteral: string): string[] => arrayLiteral.slice(1, -1).split(",");

function balanceLookup(parts: readonly OpenBalances[]): (id: string) => Cents {
  const balances = new Map<string, Cents>();
  for (const { ids, amounts } of parts) {
    const cents = elementsOf(amounts);
    elementsOf(ids).forEach((id, index) => balances.set(id, Number(cents[index]) as Cents));
  }
  return (id) => balances.get(id) ?? (0 as Cents);
}
