/** Bulk imports from their files to what they became. */
import type { BulkEntityType, BulkImport, BulkImportRow, BulkImportStatus } from "@freehold/contract/bulk-imports";
import type { Client } from "../../../test/client.ts";
import { eventually } from "../../../test/world.ts";
import { aFile } from "./bundles.ts";

export interface Terms {
  mode?: "create" | "upsert";
  dryRun?: "true" | "false";
}
type Lines = readonly (string | readonly string[])[];

/** Sends a file of a type, line by line. */
export const send = (who: Client, entityType: BulkEntityType, lines: Lines, terms: Terms = {}) =>
  who.attempt("createBulkImport", { body: { entityType, file: aFile(`${entityType}.csv`, ...lines), ...terms } });

/** Waits until an import has got somewhere. */
export const arriving = (who: Client, id: string, ...statuses: BulkImportStatus[]): Promise<BulkImport> =>
  eventually(
    `bulk import that is ${statuses.join(" or ")}`,
    async () => {
      const { bulkImport } = await who.call("getBulkImport", { params: { id } });
      if (bulkImport.status === "failed" && !statuses.includes("failed")) throw new Error(`The import failed: ${bulkImport.error}`);
      return statuses.includes(bulkImport.status) ? bulkImport : undefined;
    },
    30_000,
  );

async function sent(who: Client, entityType: BulkEntityType, lines: Lines, terms: Terms): Promise<string> {
  const { status, body, text } = await send(who, entityType, lines, terms);
  if (status !== 200) throw new Error(`The file was answered ${status}: ${text}`);
  return body.bulkImport.id;
}

/** An import that was judged and waits for its start. */
export const judged = async (who: Client, entityType: BulkEntityType, lines: Lines, mode: "create" | "upsert" = "create"): Promise<BulkImport> =>
  arriving(who, await sent(who, entityType, lines, { mode }), "ready");

/** An import that is written without being asked again. */
export const imported = async (who: Client, entityType: BulkEntityType, lines: Lines, mode: "create" | "upsert" = "create"): Promise<BulkImport> =>
  arriving(who, await sent(who, entityType, lines, { mode, dryRun: "false" }), "completed", "completed_with_errors");

/** Starts an import and waits for its end. */
export async function started(who: Client, id: string): Promise<BulkImport> {
  await who.call("startBulkImport", { params: { id } });
  return arriving(who, id, "completed", "completed_with_errors");
}

export const rowsOf = async (who: Client, { id }: { id: string }, query: Record<string, string> = {}): Promise<BulkImportRow[]> =>
  (await who.call("listBulkImportRows", { params: { id }, query: { pageSize: 100, ...query } })).rows;

/** The errors of an import's rows, a line for each: row, column, code and what it says. */
export const errorsOf = async (who: Client, bulk: { id: string }): Promise<string[]> =>
  (await rowsOf(who, bulk, { status: "error" })).flatMap(({ rowNumber, errors }) =>
    errors.map(({ path, code, message }) => `${rowNumber} ${path} ${code}: ${message}`),
  );

/** A file that the API answers, as lines of text. */
export async function download(who: Client, path: string): Promise<string[]> {
  const answer = await who.raw("GET", path);
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
  return (await answer.text()).trimEnd().split("\r\n");
}
