/** Helpers for tests of bulk imports through the API. */
import type { BulkEntityType, BulkImport, BulkImportRow, BulkImportStatus } from "@freehold/contract/imports/bulk-imports";
import type { Client } from "../../../test/support/client.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { csvFile } from "./bundles.ts";

export interface BulkImportSettings {
  mode?: "create" | "upsert";
  dryRun?: "true" | "false";
}
type Lines = readonly (string | readonly string[])[];

/** Sends a file with these lines and returns the response, whatever its status. */
export const sendBulkFile = (client: Client, entityType: BulkEntityType, lines: Lines, settings: BulkImportSettings = {}) =>
  client.attempt("createBulkImport", { body: { entityType, file: csvFile(`${entityType}.csv`, ...lines), ...settings } });

/** Waits until a bulk import has one of the statuses. Throws when it fails. */
export const waitForBulkImport = (client: Client, id: string, ...statuses: BulkImportStatus[]): Promise<BulkImport> =>
  eventually(
    `bulk import that is ${statuses.join(" or ")}`,
    async () => {
      const { bulkImport } = await client.call("getBulkImport", { params: { id } });
      if (bulkImport.status === "failed" && !statuses.includes("failed")) throw new Error(`The import failed: ${bulkImport.error}`);
      return statuses.includes(bulkImport.status) ? bulkImport : undefined;
    },
    30_000,
  );

async function createBulkImport(client: Client, entityType: BulkEntityType, lines: Lines, settings: BulkImportSettings): Promise<string> {
  const { status, body, text } = await sendBulkFile(client, entityType, lines, settings);
  if (status !== 200) throw new Error(`The upload returned ${status}: ${text}`);
  return body.bulkImport.id;
}

/** Creates a bulk import as a dry run and waits until it is ready. */
export const validateBulkImport = async (client: Client, entityType: BulkEntityType, lines: Lines, mode: "create" | "upsert" = "create"): Promise<BulkImport> =>
  waitForBulkImport(client, await createBulkImport(client, entityType, lines, { mode }), "ready");

/** Creates a bulk import without a dry run and waits until it is completed. */
export const runBulkImport = async (client: Client, entityType: BulkEntityType, lines: Lines, mode: "create" | "upsert" = "create"): Promise<BulkImport> =>
  waitForBulkImport(client, await createBulkImport(client, entityType, lines, { mode, dryRun: "false" }), "completed", "completed_with_errors");

/** Starts a bulk import and waits until it is completed. */
export async function writeBulkImport(client: Client, id: string): Promise<BulkImport> {
  await client.call("startBulkImport", { params: { id } });
  return waitForBulkImport(client, id, "completed", "completed_with_errors");
}

export const listBulkRows = async (client: Client, { id }: { id: string }, query: Record<string, string> = {}): Promise<BulkImportRow[]> =>
  (await client.call("listBulkImportRows", { params: { id }, query: { pageSize: 100, ...query } })).rows;

/** Returns the errors of all rows as lines of row number, column, code and message. */
export const listRowErrors = async (client: Client, bulkImport: { id: string }): Promise<string[]> =>
  (await listBulkRows(client, bulkImport, { status: "error" })).flatMap(({ rowNumber, errors }) =>
    errors.map(({ path, code, message }) => `${rowNumber} ${path} ${code}: ${message}`),
  );

/** Downloads a file and returns its lines. */
export async function downloadLines(client: Client, path: string): Promise<string[]> {
  const response = await client.raw("GET", path);
  if (response.status !== 200) throw new Error(`${path} returned ${response.status}: ${await response.text()}`);
  return (await response.text()).trimEnd().split("\r\n");
}
