/** Routes of the ledgers and statements of leases, tenants and properties. */
import { ledgers, type AccountStatement } from "@freehold/contract/ledger/ledgers";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { requestedFile } from "@freehold/kit/http/accept";
import { sendCsv } from "@freehold/kit/http/csv";
import { sendStream } from "@freehold/kit/http/download";
import { routes } from "@freehold/kit/http/routes";
import type { Request, Response } from "express";
import type { Clients } from "../../clients.ts";
import { listLeaseLedger, listTenantLedger } from "./ledgers.ts";
import { listPropertyLedger } from "./property-ledger.ts";
import { getStatementNames } from "./statement-names.ts";
import { getLeaseStatement, getTenantStatement, statementColumns, statementRows } from "./statements.ts";
import { listTenantCharges, listTenantPayments } from "./tenant-charges-and-payments.ts";

export const ledgerRoutes = (clients: Clients) =>
  routes(ledgers, {
    listLeaseLedger: ({ db, params, query }) => listLeaseLedger(db, clients, params.id, query),
    getLeaseStatement: async (request) => sendStatement(request, clients, await getLeaseStatement(request.db, clients, request.params.id, request.query)),
    getTenantStatement: async (request) => sendStatement(request, clients, await getTenantStatement(request.db, clients, request.params.id, request.query)),
    listTenantCharges: ({ db, params, query }) => listTenantCharges(db, clients, params.id, query),
    listTenantPayments: ({ db, params, query }) => listTenantPayments(db, clients, params.id, query),
    listPropertyLedger: ({ db, params, query }) => listPropertyLedger(db, clients, params.id, query),
    listTenantLedger: ({ db, params, query }) => listTenantLedger(db, clients, params.id, query),
  });

/** Sends a statement as the CSV or PDF that the request asks for, or returns it to be sent as JSON. */
async function sendStatement(
  { db, query, req, res }: { db: OrgDb; query: { format?: "json" | "csv" | "pdf" | undefined }; req: Request; res: Response },
  clients: Clients,
  statement: AccountStatement,
): Promise<{ statement: AccountStatement } | undefined> {
  const contentType = requestedFile(req, ["text/csv", "application/pdf"], query.format);
  if (contentType === undefined) return { statement };
  const name = `statement-${statement.from}-${statement.to}-v${statement.ledgerVersion}`;
  if (contentType === "text/csv") {
    await sendCsv(res, `${name}.csv`, statementColumns, [statementRows(statement)]);
  } else {
    const names = await getStatementNames(db, clients, statement);
    const { statementPdf } = await import("./statement-pdf.ts");
    await sendStream(req, res, `${name}.pdf`, "application/pdf", () => statementPdf(statement, names));
  }
  return undefined;
}
