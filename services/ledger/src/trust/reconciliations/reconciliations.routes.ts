/** Routes of reconciliations. */
import { reconciliations } from "@freehold/contract/trust/reconciliations";
import { asksForFile } from "@freehold/kit/http/accept";
import { sendStream } from "@freehold/kit/http/download";
import { routes } from "@freehold/kit/http/routes";
import type { Clients } from "../../clients.ts";
import { autoMatchReconciliation } from "./auto-match.ts";
import { clearTransactions, unclearTransactions } from "./clear-transactions.ts";
import { finalizeReconciliation } from "./finalize-reconciliation.ts";
import { listReconciliationItems } from "./list-items.ts";
import { getReconciliationReport } from "./report/reconciliation-report.ts";
import { createReconciliation, getReconciliation, listReconciliations, updateReconciliation } from "./reconciliations.ts";
import { voidReconciliation } from "./void-reconciliation.ts";

export const reconciliationRoutes = (clients: Clients) =>
  routes(reconciliations, {
    listReconciliations: ({ db, query }) => listReconciliations(db, query),
    createReconciliation: ({ db, body }) => createReconciliation(db, clients, body),
    getReconciliation: async ({ db, params }) => ({ reconciliation: await getReconciliation(db, clients, params.id) }),
    updateReconciliation: ({ db, params, body }) => updateReconciliation(db, clients, params.id, body),
    listReconciliationItems: ({ db, params, query }) => listReconciliationItems(db, params.id, query),
    clearTransactions: ({ db, params, body }) => clearTransactions(db, clients, params.id, body),
    unclearTransactions: ({ db, params, body }) => unclearTransactions(db, clients, params.id, body),
    autoMatchReconciliation: ({ db, params, body }) => autoMatchReconciliation(db, clients, params.id, body),
    finalizeReconciliation: ({ db, params, body }) => finalizeReconciliation(db, clients, params.id, body),
    voidReconciliation: ({ db, params, body }) => voidReconciliation(db, params.id, body.reason),
    getReconciliationReport: async ({ db, params, query, req, res }) => {
      const report = await getReconciliationReport(db, clients, params.id);
      const { reconciliation } = report;
      if (!asksForFile(req, "application/pdf", query.format)) return { reconciliation };
      const name = `reconciliation-${reconciliation.statementEndDate}-${reconciliation.id}.pdf`;
      const { reconciliationPdf } = await import("./report/reconciliation-pdf.ts");
      return sendStream(req, res, name, "application/pdf", () => reconciliationPdf(report));
    },
  });
