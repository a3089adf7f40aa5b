import type { StatementRunner } from "@freehold/kit/db/org-db";
import { invalid } from "@freehold/kit/errors";
import type { Perform } from "./operation-batcher.ts";
import type { Books } from "./writable-row.ts";
import { leasesBilledByRow } from "./writing.queries.ts";

/** What the rows of a bundle need to know of the organization's books. */
export async function booksOf(db: StatementRunner, perform: Perform, bundleId: string, day: string): Promise<Books> {
  const [{ categories }, billedByRow] = await Promise.all([
    perform<{ categories: { id: string; code: string }[] }>("ledger", "listCategories", "read", {}),
    leasesBilledByRow(db, bundleId),
  ]);
  const accounts = new Map(categories.map(({ id, code }) => [code, id]));
  return {
    today: day,
    billedByRow,
    accountOf(code) {
      const id = accounts.get(code);
      if (id === undefined)
        throw invalid([{ path: "category_code", code: "not_found", message: `The chart has no account ${code}. Add it, or name another one.` }]);
      return id;
    },
  };
}
