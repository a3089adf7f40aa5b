/** Routes of the statements of owners. */
import { ownerStatements, type OwnerStatement } from "@freehold/contract/trust/owner-statements";
import type { Database } from "@freehold/kit/db/org-db";
import { requestedFile } from "@freehold/kit/http/accept";
import { sendCsv } from "@freehold/kit/http/csv";
import { sendStream } from "@freehold/kit/http/download";
import { routes } from "@freehold/kit/http/routes";
import type { Request, Response } from "express";
import type { Clients } from "../../clients.ts";
import { createOwnerStatement, getOwnerStatement, listOwnerStatements } from "./owner-statements.ts";
import { followStatementLink, sendOwnerStatement } from "./send-statement.ts";
import type { StatementLinks } from "./statement-link.rules.ts";

export const ownerStatementRoutes = (clients: Clients, database: Database, links: StatementLinks) =>
  routes(ownerStatements, {
    listOwnerStatements: ({ db, params, query }) => listOwnerStatements(db, clients, params.id, query),
    createOwnerStatement: ({ db, params, body }) => createOwnerStatement(db, clients, params.id, body),
    sendOwnerStatement: ({ db, params, body }) => sendOwnerStatement(db, clients, params.id, body),
    followOwnerStatementLink: async ({ params, req, res }) => sendPdf(req, res, await followStatementLink(database, clients, links, params.token)),
    getOwnerStatement: async ({ db, params }) => ({ ownerStatement: await getOwnerStatement(db, params.id) }),
    downloadOwnerStatement: async (request) => sendStatement(request, await getOwnerStatement(request.db, request.params.id)),
  });

const csvColumns = [
  "propertyId",
  "propertyName",
  "date",
  "accountCode",
  "accountName",
  "description",
  "vendorName",
  "shareBps",
  "amountCents",
  "balanceCents",
] as const;

/** Sends a statement as the file that the request asks for, by default a PDF, or returns it to be sent as JSON. */
export async function sendStatement(
  { query, req, res }: { query: { format?: "json" | "csv" | "pdf" | undefined }; req: Request; res: Response },
  statement: OwnerStatement,
): Promise<{ ownerStatement: OwnerStatement } | undefined> {
  const contentType = requestedFile(req, ["application/pdf", "text/csv"], query.format, { isFileByDefault: true });
  if (contentType === undefined) return { ownerStatement: statement };
  if (contentType === "text/csv") await sendCsv(res, `${fileNameOf(statement)}.csv`, csvColumns, [csvRows(statement)]);
  else await sendPdf(req, res, statement);
  return undefined;
}

const fileNameOf = ({ periodStart, periodEnd, ledgerVersion }: OwnerStatement): string => `owner-statement-${periodStart}-${periodEnd}-v${ledgerVersion}`;

async function sendPdf(req: Request, res: Response, statement: OwnerStatement): Promise<void> {
  const { ownerStatementPdf } = await import("./owner-statement-pdf.ts");
  await sendStream(req, res, `${fileNameOf(statement)}.pdf`, "application/pdf", () => ownerStatementPdf(statement));
}

const csvRows = ({ periodStart, periodEnd, properties }: OwnerStatement): Record<string, unknown>[] =>
  properties.flatMap(({ propertyId, propertyName, beginningCents, endingCents, entries }) => {
    const balance = (date: string, description: string, balanceCents: number) => ({ propertyId, propertyName, date, description, balanceCents });
    return [
      balance(periodStart, "Beginning balance", beginningCents),
      ...entries.map((entry) => ({ propertyId, propertyName, ...entry })),
      balance(periodEnd, "Ending balance", endingCents),
    ];
  });
