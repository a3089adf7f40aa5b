/** Fixtures of bank statements and reconciliations. */
import type { Office } from "./office.ts";

/** Ids of the resources by kind. */
export interface ReconciliationFixtures {
  reconciliation: string;
  statementUpload: string;
  statementLine: string;
}

/** Uploads a statement with one line to a bank account whose number ends with 1234, and creates a draft. */
export async function createReconciliationFixtures(office: Office, bankAccountId: string): Promise<ReconciliationFixtures> {
  const { statementUpload, statementLines } = await office.call("uploadStatementLines", {
    params: { id: bankAccountId },
    body: { file: new File(["Date,Amount,Description\n2026-01-31,0.10,Interest\n"], "january.csv") },
  });
  const { reconciliation } = await office.call("createReconciliation", {
    body: { bankAccountId, statementEndDate: "2026-01-31", statementEndingBalanceCents: 5_010 },
  });
  return { reconciliation: reconciliation.id, statementUpload: statementUpload.id, statementLine: statementLines[0]!.id };
}
