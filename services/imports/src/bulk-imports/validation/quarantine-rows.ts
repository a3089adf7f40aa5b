import type { StatementRunner } from "@freehold/kit/db/org-db";
import type { ReadyCandidate, WriteResult } from "../../writing/writing.queries.ts";
import type { BulkSettings } from "../bulk-import.rules.ts";
import { findAlreadyWritten } from "./identities.queries.ts";

/** Separates the rows of a bulk import that another bulk import has written since their evaluation, so that no row is written twice. */
export async function quarantineRows(
  db: StatementRunner,
  bundle: { id: string; bulk: BulkSettings | null },
  rows: readonly ReadyCandidate[],
): Promise<{ remaining: readonly ReadyCandidate[]; quarantined: WriteResult[] }> {
  if (!bundle.bulk) return { remaining: rows, quarantined: [] };
  const writtenIds = await findAlreadyWritten(
    db,
    bundle.id,
    rows.map(({ id }) => id),
  );
  const message = "Another import has written this row since its validation. Remove the row, or upload the file again to see its current status.";
  const quarantined = [...writtenIds].map((id): WriteResult => ({ id, status: "invalid", errors: [{ path: "source_id", code: "unique", message }] }));
  return { remaining: rows.filter(({ id }) => !writtenIds.has(id)), quarantined };
}
