/** Content of the report of a reconciliation. */
import type { Reconciliation as View, ReconciliationItem } from "@freehold/contract/trust/reconciliations";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { conflict } from "@freehold/kit/errors";
import type { Clients } from "../../../clients.ts";
import { getBankAccount } from "../../bank-accounts/bank-accounts.ts";
import { itemColumns, selectItems } from "../list-items.ts";
import type { ReportNames } from "../reconciliation.entity.ts";
import { getReconciliation } from "../reconciliations.ts";

/** Reconciliation with its proof, names and transactions: stored when it was finalized, or for a draft as of now. */
export interface ReconciliationReport {
  reconciliation: View;
  names: ReportNames;
  items: readonly ReconciliationItem[];
}

/** Returns the report of a reconciliation. Throws 404 for an unknown id, and a 409 for a draft that was voided. */
export async function getReconciliationReport(db: OrgDb, clients: Clients, id: string): Promise<ReconciliationReport> {
  const reconciliation = await getReconciliation(db, clients, id);
  if (!reconciliation.threeWay) throw conflict("The reconciliation was voided as a draft, so it has no report. Create a new one.", "invalid_transition");
  const row = await db.first(sql<{ names: ReportNames | null }>`select names from reconciliation where organization_id = ${db.organizationId} and id = ${id}`);
  const names = row!.names ?? (await readReportNames(db, (await clients.identity.getOrganization(db, {})).name, reconciliation.bankAccountId));
  const items = await db.all(sql<ReconciliationItem>`select ${itemColumns} from (${await selectItems(db, id)}) item order by entry_date, entry_id`);
  return { reconciliation, names, items };
}

/** Returns the names for a report as they are now. */
async function readReportNames(db: OrgDb, organizationName: string, bankAccountId: string): Promise<ReportNames> {
  return reportNames(organizationName, await getBankAccount(db, bankAccountId));
}

/** Returns the names for the report of a reconciliation of a bank account. */
export const reportNames = (
  organizationName: string,
  { name, institutionName, accountMask }: { name: string; institutionName: string; accountMask: string },
): ReportNames => ({ organizationName, bankAccountName: name, institutionName, accountMask });
