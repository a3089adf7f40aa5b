import type { BulkImport, bulkImports } from "@freehold/contract/bulk-imports";
import type { Output, QueryOf } from "@freehold/contract/operation";
import type { Role } from "@freehold/contract/roles";
import { now } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import type { FileStore } from "@freehold/kit/files/file-store";
import { announceMove } from "../events.ts";
import { ImportBundle } from "../import-bundles/import-bundle.entity.ts";
import { isWriting } from "../import-bundles/import-bundle.rules.ts";
import { ImportFile } from "../import-files/import-file.entity.ts";
import { bulkFlow, bulkStatusOf, type Bulk } from "./bulk-import.rules.ts";
import { findBulkImport, pageOfBulkImports } from "./bulk-imports.queries.ts";
import { queueBulkImport } from "./queue-bulk-import.ts";

type Operations = (typeof bulkImports)["operations"];
type Answer = Promise<{ bulkImport: BulkImport }>;

export async function listBulkImports(db: OrgDb, query: QueryOf<Operations["listBulkImports"]>): Promise<Output<Operations["listBulkImports"]>> {
  const { rows, paging } = await pageOfBulkImports(db, query);
  return { bulkImports: rows, ...paging };
}

export const getBulkImport = async (db: OrgDb, id: string): Answer => ({ bulkImport: await findBulkImport(db, id) });

const lockBulkImport = (tx: OrgTx, id: string): Promise<ImportBundle> => tx.getForUpdate(ImportBundle, id, "Bulk import", { mode: { $ne: null } });

/** In whose name an import is written that somebody asks for now. */
export function asker({ principal }: OrgDb): Bulk["by"] {
  const { userId, role, timezone } = principal;
  return { userId: userId!, role: role as Role, timezone };
}

/** Has a ready import written in the name of whoever starts it; of several who do, one does. */
export const startBulkImport = (db: OrgDb, id: string): Answer =>
  transaction(db, async (tx) => {
    const { status, entityType, mode, dryRun } = await lockBulkImport(tx, id);
    bulkFlow.transition(bulkStatusOf(status), "processing");
    await queueBulkImport(tx, id, { entityType: entityType!, mode: mode!, dryRun: dryRun!, by: asker(db) });
    return { bulkImport: await findBulkImport(tx, id) };
  });

/** Calls an import off that has not begun to write, and lets its file go; one that writes stays as it is. */
export async function cancelBulkImport(db: OrgDb, store: FileStore, id: string): Answer {
  const { bulkImport, fileId } = await transaction(db, async (tx) => {
    const bundle = await lockBulkImport(tx, id);
    const file = await tx.findOne(ImportFile, { bundleId: id });
    if (!isWriting(bundle.status)) {
      bulkFlow.transition(bulkStatusOf(bundle.status), "cancelled");
      tx.assign(bundle, { status: "cancelled", cursor: null, phase: null, updatedAt: now() });
      await tx.flush();
      await announceMove(tx, { id, bulk: { entityType: bundle.entityType!, mode: bundle.mode!, dryRun: bundle.dryRun!, by: asker(db) } }, "cancelled");
    }
    return { bulkImport: await findBulkImport(tx, id), fileId: file!.id };
  });
  // What cannot be removed now is swept later.
  if (bulkImport.status === "cancelled") await store.remove(db.organizationId, fileId).catch(() => undefined);
  return { bulkImport };
}
