/** Events of blasts, and the name of the job that sends them. */
import { eventPublisher } from "@freehold/kit/db/outbox";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import type { Blast } from "./blast.entity.ts";
import { readStats, type Stats } from "./blast.queries.ts";

const publish = eventPublisher("communications");

/** Name of the job that sends blasts. */
export const SEND_BLASTS = "send_blasts";

/** Publishes the status of a blast with the counts of its messages, which are read unless they are given. */
export async function publishBlast(
  tx: OrgTx,
  type: "blast.queued" | "blast.progress" | "blast.completed" | "blast.failed",
  blast: Blast,
  stats?: Stats,
): Promise<void> {
  await tx.flush();
  await publish(tx, type, { entityId: blast.id, data: { status: blast.status, ...(stats ?? (await readStats(tx, blast.id))) } });
}
