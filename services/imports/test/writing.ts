/** Helpers for tests that import bundles of the generic template under one namespace. */
import type { ImportBundle } from "@freehold/contract/imports/import-bundles";
import type { Client } from "../../../test/support/client.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { createBundle, csvFile, uploadFiles, validateBundle } from "./bundles.ts";

/** Lines of each file by file name without `.csv`. */
export type Sheets = Record<string, readonly string[]>;
export const NAMESPACE = "old-system";

/** Creates a bundle with these sheets and waits until it is ready. */
export async function prepareBundle(client: Client, sheets: Sheets, withinMs?: number): Promise<ImportBundle> {
  const { id } = await createBundle(client, "generic", NAMESPACE);
  await uploadFiles(client, id, ...Object.entries(sheets).map(([name, lines]) => csvFile(`${name}.csv`, ...lines)));
  return validateBundle(client, id, withinMs);
}

/** Starts a bundle, unless it is started already, and waits until it is completed. */
export async function writeBundle(client: Client, id: string, withinMs?: number): Promise<ImportBundle> {
  await client.attempt("startImportBundle", { params: { id } });
  return eventually(
    "completed bundle",
    async () => {
      const { importBundle } = await client.call("getImportBundle", { params: { id } });
      return importBundle.completedAt === null ? undefined : importBundle;
    },
    withinMs,
  );
}
