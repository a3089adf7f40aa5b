/** Bundles of one old system, from their files to what they became. */
import type { ImportBundle } from "@freehold/contract/import-bundles";
import type { Client } from "../../../test/client.ts";
import { eventually } from "../../../test/world.ts";
import { aBundle, aFile, upload, validated } from "./bundles.ts";

export type Sheets = Record<string, readonly string[]>;
export const NAMESPACE = "old-system";

/** A bundle of the generic template's files, by their names, that is ready to be started. */
export async function ready(who: Client, sheets: Sheets, withinMs = 60_000): Promise<ImportBundle> {
  const { id } = await aBundle(who, "generic", NAMESPACE);
  await upload(who, id, ...Object.entries(sheets).map(([name, lines]) => aFile(`${name}.csv`, ...lines)));
  return validated(who, id, withinMs);
}

/** Starts a bundle, unless somebody has, and waits for its end. */
export async function written(who: Client, id: string, withinMs = 60_000): Promise<ImportBundle> {
  await who.attempt("startImportBundle", { params: { id } });
  return eventually(
    "bundle that is written",
    async () => {
      const { importBundle } = await who.call("getImportBundle", { params: { id } });
      return importBundle.completedAt === null ? undefined : importBundle;
    },
    withinMs,
  );
}
