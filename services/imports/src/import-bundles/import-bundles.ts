import type { importBundles } from "@freehold/contract/import-bundles";
import type { BodyOf, Output, QueryOf } from "@freehold/contract/operation";
import { now } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { FileStore } from "@freehold/kit/files/file-store";
import { scheduleNow } from "@freehold/kit/jobs/scheduler";
import { announceStatus } from "../events.ts";
import { filesOf } from "../import-files/import-files.queries.ts";
import { ImportBundle } from "./import-bundle.entity.ts";
import { bundleFlow, isWriting, noCounts, refuseUnmapped } from "./import-bundle.rules.ts";
import { findBundle, pageOfBundles } from "./import-bundles.queries.ts";
import { lockBundle } from "./lock-bundle.ts";

type Operations = (typeof importBundles)["operations"];
type Answer = Promise<Output<Operations["getImportBundle"]>>;

export async function listImportBundles(db: OrgDb, query: QueryOf<Operations["listImportBundles"]>): Promise<Output<Operations["listImportBundles"]>> {
  const { rows, paging } = await pageOfBundles(db, query);
  return { importBundles: rows, ...paging };
}

export const getImportBundle = async (db: OrgDb, id: string): Answer => ({ importBundle: await findBundle(db, id) });

/** Begins a bundle, without a file. */
export const createImportBundle = (db: OrgDb, terms: BodyOf<Operations["createImportBundle"]>): Answer =>
  transaction(db, async (tx) => {
    const nothingYet = { phase: null, processed: 0, total: 0, counts: noCounts(), run: 0 };
    const bundle = tx.create(ImportBundle, { ...terms, ...nothingYet, status: "draft", createdByUserId: db.principal.userId });
    await tx.flush();
    await announceStatus(tx, bundle.id, "draft");
    return { importBundle: await findBundle(tx, bundle.id) };
  });

/** Has the bundle judged anew by whichever replica comes first. */
export const validateImportBundle = (db: OrgDb, id: string): Answer =>
  transaction(db, async (tx) => {
    const bundle = await lockBundle(tx, id);
    const status = bundleFlow.transition(bundle.status, "inspecting");
    refuseUnmapped(await filesOf(tx, [id]));
    tx.assign(bundle, {
      status,
      run: bundle.run + 1,
      cursor: { step: "clear" },
      phase: "inspecting",
      processed: 0,
      total: 0,
      counts: noCounts(),
      validatedAt: null,
      error: null,
      updatedAt: now(),
    });
    await scheduleNow(tx, "validateBundles");
    await announceStatus(tx, id, status);
    return { importBundle: await findBundle(tx, id) };
  });

/** Calls a bundle off that has not begun to write, and lets its files go; one that writes stays as it is. */
export async function cancelImportBundle(db: OrgDb, store: FileStore, id: string): Answer {
  const { importBundle } = await transaction(db, async (tx) => {
    const bundle = await lockBundle(tx, id);
    if (!isWriting(bundle.status)) {
      tx.assign(bundle, { status: bundleFlow.transition(bundle.status, "cancelled"), cursor: null, phase: null, updatedAt: now() });
      await announceStatus(tx, id, "cancelled");
    }
    return { importBundle: await findBundle(tx, id) };
  });
  // What cannot be removed now is swept later.
  if (importBundle.status === "cancelled") await Promise.allSettled(importBundle.files.map((file) => store.remove(db.organizationId, file.id)));
  return { importBundle };
}
