import { importEntityTypes, type importBundles } from "@freehold/contract/import-bundles";
import type { BodyOf, Output } from "@freehold/contract/operation";
import { now } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { unknownReference } from "@freehold/kit/errors";
import { and } from "@freehold/kit/db/list";
import { scheduleNow } from "@freehold/kit/jobs/scheduler";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import { announceStatus, announceUpdate } from "../events.ts";
import { ImportFile } from "../import-files/import-file.entity.ts";
import type { ImportBundle } from "../import-bundles/import-bundle.entity.ts";
import { bundleFlow, refuseUnlessReady } from "../import-bundles/import-bundle.rules.ts";
import { lockBundleOf } from "../import-bundles/lock-bundle.ts";
import { candidatesOf, countCandidates, typesIn } from "../validation/candidates.queries.ts";
import { restoreCandidate } from "./edit-candidate.ts";
import { matching } from "./import-candidates.queries.ts";
import { judgeAgain, setStatusesFrom, type Bundle } from "./reevaluate-candidates.ts";

type Operations = (typeof importBundles)["operations"];

/** So many are judged before the answer; of more the bundle is validated anew, as far as that depends on decisions. */
const BEFORE_THE_ANSWER = 2_000;
const RANGE = 25_000;

type Action = BodyOf<Operations["resolveImportCandidates"]>["action"];

/** Decides what becomes of all candidates that fit; duplicates follow the one that stands for them. */
export const resolveImportCandidates = (
  db: OrgDb,
  bundleId: string,
  { action, ...filters }: BodyOf<Operations["resolveImportCandidates"]>,
): Promise<Output<Operations["resolveImportCandidates"]>> =>
  transaction(db, async (tx) => {
    const bundle = await lockBundleOf(tx, bundleId);
    refuseUnlessReady(bundle.status);
    const { fileId } = filters;
    if (fileId !== undefined && !(await tx.findOne(ImportFile, { id: fileId, bundleId }))) throw unknownReference("fileId", "file in the bundle");
    const fitting = and([...matching(filters), action !== "exclude" && sql`c.merged_into_id is null`]);
    const about = { id: bundleId, namespace: bundle.sourceNamespace };
    if (action === "reset")
      for (const { id } of await candidatesOf(tx, bundleId, sql`${fitting} and c.original is not null`)) await restoreCandidate(tx, bundleId, id);
    const { updated, first } = await decide(tx, bundleId, fitting, action);
    if (updated > BEFORE_THE_ANSWER) await judgeLater(tx, bundle);
    else await judgeNow(tx, about, first);
    tx.assign(bundle, { counts: await countCandidates(tx, bundleId), updatedAt: now() });
    await announceUpdate(tx, bundleId, bundle.status);
    return { updated };
  });

/** Writes the decision down, and answers over how many, with the ids of the first of them. */
async function decide(tx: OrgTx, bundleId: string, fitting: RawBuilder<unknown>, action: Action): Promise<{ updated: number; first: string[] }> {
  const { last } = (await tx.first(sql<{ last: number }>`select coalesce(max(position), 0) as last from import_candidate
    where organization_id = ${tx.organizationId} and bundle_id = ${bundleId}`))!;
  const first: string[] = [];
  let updated = 0;
  for (let after = 0; after < last; after += RANGE) {
    const decided = await tx.all(sql<{ id: string }>`update import_candidate c set decision = ${action === "reset" ? null : action},
        chosen_entity_id = case when ${action} = 'exclude' then c.chosen_entity_id end
      where c.organization_id = ${tx.organizationId} and c.bundle_id = ${bundleId} and c.position > ${after} and c.position <= ${after + RANGE} and ${fitting}
      returning c.id`);
    updated += decided.length;
    if (first.length <= BEFORE_THE_ANSWER) first.push(...decided.map(({ id }) => id));
  }
  return { updated, first };
}

async function judgeNow(tx: OrgTx, bundle: Bundle, ids: readonly string[]): Promise<void> {
  const rows = await candidatesOf(tx, bundle.id, sql`c.id = any(${[...ids]}::uuid[])`);
  for (const ofType of Map.groupBy(rows, ({ entityType }) => entityType).values()) await judgeAgain(tx, bundle, ofType);
  await setStatusesFrom(tx, bundle.id, ids);
}

async function judgeLater(tx: OrgTx, bundle: ImportBundle): Promise<void> {
  const counted = await typesIn(tx, bundle.id);
  const entityType = importEntityTypes.find((each) => counted.has(each))!;
  const total = [...counted.values()].reduce((sum, count) => sum + count, 0);
  const cursor = { step: "judge" as const, entityType, position: 0, again: true as const };
  tx.assign(bundle, { status: bundleFlow.transition(bundle.status, "validating"), run: bundle.run + 1, cursor, phase: "judging", processed: 0, total });
  await scheduleNow(tx, "validateBundles");
  await announceStatus(tx, bundle.id, bundle.status);
}
