import type { OrgDb } from "@freehold/kit/db/org-db";
import { batchLoader } from "@freehold/kit/rpc/loader";
import { localDateOf } from "@freehold/kit/time/clock";
import { invalid, notFound } from "@freehold/kit/errors";
import type { Clients } from "../clients.ts";
import { selectDepositAccount } from "../validation/accounts/deposit-account.rules.ts";
import type { StartedBy } from "../import-bundles/started-by.ts";
import { importedRents } from "./recurring-charges/imported-rents.rules.ts";
import { continuedLeasesLookup } from "./continued-leases.ts";
import type { ExecuteOperation } from "./operation-batcher.ts";
import type { WriteContext } from "./writable-row.ts";
import { listRentCharges } from "./writing.queries.ts";

/** Returns a lookup of the property of a unit, which reads the units that are looked up at once in one call. */
function propertyIdLookup(db: OrgDb, clients: Clients): WriteContext["propertyIdOfUnit"] {
  const load = batchLoader(async (caller, unitIds: readonly string[]) => {
    const { units } = await clients.portfolio.getUnits(caller, { ids: [...new Set(unitIds)] });
    const propertyIds = new Map(units.map(({ id, propertyId }) => [id, propertyId]));
    return unitIds.map((id) => propertyIds.get(id));
  });
  return async (unitId) => {
    const propertyId = await load(db, unitId);
    if (propertyId === undefined) throw notFound("Unit");
    return propertyId;
  };
}

/** Loads the state of the organization that the rows of a bundle need. The import date is the one at which the bundle was started. */
export async function loadWriteContext(
  db: OrgDb,
  execute: ExecuteOperation,
  clients: Clients,
  { id, namespace, startedAt, startedBy: { timezone } }: { id: string; namespace: string; startedAt: string; startedBy: StartedBy },
): Promise<WriteContext> {
  const [{ categories }, { bankAccounts }, rentCharges] = await Promise.all([
    execute<{ categories: { id: string; code: string; accountType: string }[] }>("ledger", "listCategories", "read", {}),
    clients.ledger.listBankAccounts(db, {}),
    listRentCharges(db, id),
  ]);
  const importDate = localDateOf(startedAt, timezone);
  const incomeAccounts = new Set(categories.flatMap(({ code, accountType }) => (accountType === "income" ? code : [])));
  const idByCode = new Map(categories.map(({ id, code }) => [code, id]));
  return {
    propertyIdOfUnit: propertyIdLookup(db, clients),
    continuedLeasesOf: continuedLeasesLookup(db, { id, namespace }),
    importDate,
    startedAt,
    timezone,
    rents: importedRents(rentCharges, { importDate, incomeAccounts }),
    depositAccountIdOf(deposit) {
      const account = selectDepositAccount(deposit, bankAccounts);
      if ("problem" in account) throw invalid([{ path: "bank_account", code: "not_found", message: account.problem }]);
      return account.id;
    },
    categoryIdOf(code) {
      const id = idByCode.get(code);
      if (id === undefined)
        throw invalid([{ path: "category_code", code: "not_found", message: `The chart of accounts has no account ${code}. Add it, or use another account.` }]);
      return id;
    },
  };
}
