import { importEntityTypes, type importBundles } from "@freehold/contract/import-bundles";
import type { Output } from "@freehold/contract/operation";
import type { Role } from "@freehold/contract/roles";
import { now } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { conflict } from "@freehold/kit/errors";
import { scheduleNow } from "@freehold/kit/jobs/scheduler";
import { announceStatus } from "../events.ts";
import { typesIn } from "../validation/candidates.queries.ts";
import { bundleFlow, refuseUnstartable } from "./import-bundle.rules.ts";
import { findBundle } from "./import-bundles.queries.ts";
import { lockBundle } from "./lock-bundle.ts";

type Operations = (typeof importBundles)["operations"];

/** Two bundles of one namespace at once could not know what the other one just wrote. */
export const importRunning = () => conflict("Another bundle of this namespace is being written. Wait until it is done, then start this one.", "import_running");

/** Has a ready bundle written in the name of whoever starts it, by whichever replica comes first. */
export const startImportBundle = (db: OrgDb, id: string): Promise<Output<Operations["startImportBundle"]>> =>
  transaction(db, async (tx) => {
    const bundle = await lockBundle(tx, id);
    refuseUnstartable(bundle.status);
    const status = bundleFlow.transition(bundle.status, "queued");
    const { userId, role, timezone } = db.principal;
    const types = await typesIn(tx, id);
    tx.assign(bundle, {
      status,
      run: bundle.run + 1,
      cursor: { entityType: importEntityTypes.find((each) => types.has(each)) ?? "owner", position: 0 },
      phase: null,
      processed: 0,
      total: bundle.counts.ready_create + bundle.counts.ready_update,
      startedBy: { userId: userId!, role: role as Role, timezone },
      startedAt: now(),
      updatedAt: now(),
    });
    await scheduleNow(tx, "writeBundles");
    await announceStatus(tx, id, status);
    return { importBundle: await findBundle(tx, id) };
  });
