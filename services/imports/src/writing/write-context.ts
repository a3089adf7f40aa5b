import type { StatementRunner } from "@freehold/kit/db/org-db";
import { invalid } from "@freehold/kit/errors";
import type { ExecuteOperation } from "./operation-batcher.ts";
import type { WriteContext } from "./writable-row.ts";
import { findLeasesWithRentCharge } from "./writing.queries.ts";

/** Loads the state of the organization that the rows of a bundle need. `today` is the date at which the bundle was started. */
export async function loadWriteContext(db: StatementRunner, execute: ExecuteOperation, bundleId: string, today: string): Promise<WriteContext> {
  const [{ categories }, leasesWithRentCharge] = await Promise.all([
    execute<{ categories: { id: string; code: string }[] }>("ledger", "listCategories", "read", {}),
    findLeasesWithRentCharge(db, bundleId),
  ]);
  const idByCode = new Map(categories.map(({ id, code }) => [code, id]));
  return {
    today,
    leasesWithRentCharge,
    categoryIdOf(code) {
      const id = idByCode.get(code);
      if (id === undefined)
        throw invalid([{ path: "category_code", code: "not_found", message: `The chart of accounts has no account ${code}. Add it, or use another account.` }]);
      return id;
    },
  };
}
