/** Routes of the lines of bank statements. */
import { statementLines } from "@freehold/contract/trust/statement-lines";
import { routes } from "@freehold/kit/http/routes";
import { deleteStatementUpload, listStatementLines, uploadStatementLines } from "./statement-lines.ts";

export const statementLineRoutes = routes(statementLines, {
  listStatementLines: ({ db, params, query }) => listStatementLines(db, params.id, query),
  uploadStatementLines: ({ db, params, body }) => uploadStatementLines(db, params.id, body),
  deleteStatementUpload: ({ db, params }) => deleteStatementUpload(db, params.id, params.uploadId),
});
