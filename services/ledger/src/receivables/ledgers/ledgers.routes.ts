/** Routes of the ledgers and statements of leases, tenants and properties. */
import { ledgers, type AccountStatement } from "@freehold/contract/ledger/ledgers";
import { asksForFile } from "@freehold/kit/http/accept";
import { sendCsv } from "@freehold/kit/http/csv";
import { routes } from "@freehold/kit/http/routes";
import type { Request, Response } from "express";
import type { Clients } from "../../clients.ts";
import { listLeaseLedger, listTenantLedger } from "./ledgers.ts";
import { listPropertyLedger } from "./property-ledger.ts";
import { getLeaseStatement, getTenantStatement, statementColumns, statementRows } from "./statements.ts";
import { listTenantCharges, listTenantPayments } from "./tenant-charges-and-payments.ts";

export const ledgerRoutes = (clients: Clients) =>
  routes(ledgers, {
    listLeaseLedger: ({ db, params, query }) => listLeaseLedger(db, clients, params.id, query),
    getLeaseStatement: async ({ db, params, query, req, res }) => sendStatement(req, res, query, await getLeaseStatement(db, clients, params.id, query)),
    getTenantStatement: async ({ db, params, query, req, res }) => sendStatement(req, res, query, await getTenantStatement(db, clients, params.id, query)),
    listTenantCharges: ({ db, params, query }) => listTenantCharges(db, clients, params.id, query),
    listTenantPayments: ({ db, params, query }) => listTenantPayments(db, clients, params.id, query),
    listPropertyLedger: ({ db, params, query }) => listPropertyLedger(db, clients, params.id, query),
    listTenantLedger: ({ db, params, query }) => listTenantLedger(db, clients, params.id, query),
  });

/** Sends a statement as CSV when the request asks for it, or returns it to be sent as JSON. */
async function sendStatement(
  req: Request,
  res: Response,
  { format }: { format?: "json" | "csv" | undefined },
  statement: AccountStatement,
): Promise<{ statement: AccountStatement } | undefined> {
  if (!asksForFile(req, "text/csv", format)) return { statement };
  await sendCsv(res, `statement-${statement.from}-${statement.to}.csv`, statementColumns, [statementRows(statement)]);
  return undefined;
}
