/** Routes of the ledgers and statements of leases, tenants and properties. */
import { ledgers, type AccountStatement } from "@freehold/contract/ledger/ledgers";
import { sendCsv } from "@freehold/kit/http/csv";
import { routes } from "@freehold/kit/http/routes";
import type { Request, Response } from "express";
import type { Clients } from "../../clients.ts";
import { listCharges } from "../charges/charges.ts";
import { listPayments } from "../payments/payments.ts";
import { listLeaseLedger, listTenantLedger, requireTenant } from "./ledgers.ts";
import { listPropertyLedger } from "./property-ledger.ts";
import { getLeaseStatement, getTenantStatement, statementColumns, statementRows } from "./statements.ts";

export const ledgerRoutes = (clients: Clients) =>
  routes(ledgers, {
    listLeaseLedger: ({ db, params, query }) => listLeaseLedger(db, clients, params.id, query),
    getLeaseStatement: async ({ db, params, query, req, res }) => sendStatement(req, res, query, await getLeaseStatement(db, clients, params.id, query)),
    getTenantStatement: async ({ db, params, query, req, res }) => sendStatement(req, res, query, await getTenantStatement(db, clients, params.id, query)),
    listTenantCharges: async ({ db, params, query }) => {
      await requireTenant(db, clients, params.id);
      const { charges, page, pageSize, total, totalPages } = await listCharges(db, { ...query, tenantId: params.id });
      return { charges, page, pageSize, total, totalPages };
    },
    listTenantPayments: async ({ db, params, query }) => {
      await requireTenant(db, clients, params.id);
      return listPayments(db, { ...query, tenantId: params.id });
    },
    listPropertyLedger: ({ db, params, query }) => listPropertyLedger(db, clients, params.id, query),
    listTenantLedger: ({ db, params, query }) => listTenantLedger(db, clients, params.id, query),
  });

/** Sends a statement as CSV when the query or the header `Accept` asks for it, or returns it to be sent as JSON. */
async function sendStatement(
  req: Request,
  res: Response,
  { format }: { format: "json" | "csv" },
  statement: AccountStatement,
): Promise<{ statement: AccountStatement } | undefined> {
  if (format === "json" && !req.headers.accept?.startsWith("text/csv")) return { statement };
  await sendCsv(res, `statement-${statement.from}-${statement.to}.csv`, statementColumns, singleChunk(statementRows(statement)));
  return undefined;
}

async function* singleChunk<T>(rows: T[]): AsyncIterable<T[]> {
  yield await Promise.resolve(rows);
}
