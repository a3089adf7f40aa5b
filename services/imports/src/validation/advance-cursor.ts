import type { ImportProvider } from "@freehold/contract/import-bundles";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { announceProgress } from "../events.ts";
import type { Bulk } from "../bulk-imports/bulk-import.rules.ts";
import type { Cursor } from "./cursor.ts";

/** A bundle that is being validated, and how far it has come. */
export interface Validated {
  id: string;
  provider: ImportProvider;
  namespace: string;
  /** What makes it a bulk import; a bundle of people's files has none. */
  bulk: Bulk | null;
  run: number;
  cursor: Cursor;
  phase: string | null;
  processed: number;
  total: number;
}

/** Somebody else went on with the bundle, or it is not to be validated any more. */
export class Overtaken extends Error {}

/** A bundle with work under way, wherever it is in it. */
interface UnderWay {
  id: string;
  bulk: Bulk | null;
  run: number;
  cursor: unknown;
  phase: string | null;
  processed: number;
  total: number;
}
type Step<B extends UnderWay> = Partial<Pick<B, "cursor" | "phase" | "processed" | "total">>;

/**
 * One chunk of the work: what it writes and how far it came are committed together, once. Whoever comes from an older place,
 * another replica or one that was asleep, is overtaken and changes nothing.
 */
export async function advance<B extends UnderWay>(db: OrgDb, bundle: B, step: Step<B>, work: (tx: OrgTx) => Promise<void>): Promise<void> {
  const next = { ...bundle, ...step };
  await transaction(db, async (tx) => {
    const [held] = await tx.all(sql<{ isDue: boolean }>`update import_bundle set cursor = ${JSON.stringify(next.cursor)}::jsonb, phase = ${next.phase},
        processed = ${next.processed}, total = ${next.total}, updated_at = now(), version = version + 1,
        announced_at = case when announced_at > now() - interval '1 second' then announced_at else date_trunc('milliseconds', now()) end
      where organization_id = ${tx.organizationId} and id = ${bundle.id} and run = ${bundle.run} and cursor = ${JSON.stringify(bundle.cursor)}::jsonb
        and status in ('inspecting', 'mapping', 'validating', 'processing')
      returning announced_at = date_trunc('milliseconds', now()) as is_due`);
    if (!held) throw new Overtaken();
    await work(tx);
    const { phase, processed, total } = next;
    if (held.isDue && phase !== null) await announceProgress(tx, bundle, { phase, processed, total });
  });
  Object.assign(bundle, step);
}
