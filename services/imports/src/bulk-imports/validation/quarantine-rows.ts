import type { StatementRunner } from "@freehold/kit/db/org-db";
import type { ReadyRow, Written } from "../../writing/writing.queries.ts";
import type { Bulk } from "../bulk-import.rules.ts";
import { writtenMeanwhile } from "./identities.queries.ts";

/** Sets rows apart that another import of the same rows has written since they were judged: nothing comes twice. */
export async function setApart(
  db: StatementRunner,
  bundle: { id: string; bulk: Bulk | null },
  rows: readonly ReadyRow[],
): Promise<{ left: readonly ReadyRow[]; refused: Written[] }> {
  if (!bundle.bulk) return { left: rows, refused: [] };
  const written = await writtenMeanwhile(
    db,
    bundle.id,
    rows.map(({ id }) => id),
  );
  const message = "Another import has written this row since it was judged. Leave it out, or send the file again to see how it stands.";
  const refused = [...written].map((id): Written => ({ id, status: "invalid", errors: [{ path: "source_id", code: "unique", message }] }));
  return { left: rows.filter(({ id }) => !written.has(id)), refused };
}
