/** Events of blasts, and the name of the job that sends them. */
import { eventPublisher } from "@freehold/kit/db/outbox";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import type { Blast } from "./blast.entity.ts";
import { readStats } from "./blast.queries.ts";

const publish = eventPublisher("communications");

/** Name of the job that sends blasts. */
export const SEND_BLASTS = "send_blasts";

/** Publishes the status of a blast with the counts of its messages. */
export async function publishBlast(tx: OrgTx, type: "blast.queued" | "blast.progress" | "blast.completed" | "blast.failed", blast: Blast): Promise<void> {
  await tx.flush();
  await publish(tx, type, { entityId: blast.id, data: { status: blast.status, ...(await readStats(tx, blast.id)) } });
}
