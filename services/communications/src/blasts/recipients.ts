/** Recipients of a blast. */
import { blastChannels, type blasts } from "@freehold/contract/communications/blasts";
import type { Output, QueryOf } from "@freehold/contract/operation";
import { listConditions, listPage } from "@freehold/kit/db/list";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { transaction } from "@freehold/kit/db/transaction";
import { conflict } from "@freehold/kit/errors";
import { scheduleNow } from "@freehold/kit/jobs/scheduler";
import type { Clients } from "../clients.ts";
import { UNCONFIRMED } from "../messages/sms/sms-provider.ts";
import { requireConfirmed } from "../recipients/confirmation.ts";
import { AUDIENCE_LOT, findAudience } from "./audience.ts";
import { Blast, type BlastChannel } from "./blast.entity.ts";
import { SEND_BLASTS } from "./blast-events.ts";
import { fromRecipients, getBlastView, recipientColumns, recipientStatus, type RecipientRow } from "./blast.queries.ts";
import { blastStates } from "./blast.rules.ts";

type Operations = typeof blasts.operations;

/** Returns a page of the recipients of a blast. */
export async function listBlastRecipients(
  db: OrgDb,
  id: string,
  query: QueryOf<Operations["listBlastRecipients"]>,
): Promise<Output<Operations["listBlastRecipients"]>> {
  await getBlastView(db, id);
  const { status, channel } = query;
  const { rows, paging } = await listPage<RecipientRow>(db, query, {
    table: "r",
    select: recipientColumns,
    from: fromRecipients,
    where: [
      ...listConditions(db, "r", query, false),
      sql`r.blast_id = ${id}`,
      status && sql`${recipientStatus} = any(${status})`,
      channel && sql`r.channel = any(${channel})`,
    ],
    sorts: { createdAt: sql`r.created_at` },
  });
  return { recipients: rows, ...paging };
}

interface FailedRecipient {
  id: string;
  tenantId: string;
  channel: BlastChannel;
}

/** Returns the recipients whose messages have failed, except those whose messages may have been sent. */
const findFailed = (db: OrgDb, id: string): Promise<FailedRecipient[]> =>
  db.all(sql<FailedRecipient>`select r.id, r.tenant_id, r.channel from ${fromRecipients}
    where r.organization_id = ${db.organizationId} and r.blast_id = ${id} and r.status = 'queued' and m.status = 'failed' and m.error is distinct from ${UNCONFIRMED}`);

/** Returns the ids of the recipients who may be written to: the others would be skipped and no longer counted as failed. */
async function findReachable(db: OrgDb, clients: Clients, recipients: readonly FailedRecipient[]): Promise<string[]> {
  const reachable: string[] = [];
  for (let start = 0; start < recipients.length; start += AUDIENCE_LOT) {
    const lot = recipients.slice(start, start + AUDIENCE_LOT);
    const audience = await findAudience(db, clients, { tenantIds: [...new Set(lot.map(({ tenantId }) => tenantId))] }, blastChannels);
    const reached = new Set(
      audience.flatMap(({ contact, channels }) => channels.flatMap(({ channel, skipReason }) => (skipReason ? [] : [`${contact.id} ${channel}`]))),
    );
    reachable.push(...lot.filter(({ tenantId, channel }) => reached.has(`${tenantId} ${channel}`)).map(({ id: recipientId }) => recipientId));
  }
  return reachable;
}

/**
 * Makes the failed messages of a blast pending again, except those that may have been sent and those to addresses that may not be written to. Throws 403 for
 * an organization without a confirmed e-mail address, and 409 when no message is left.
 */
export async function retryBlast(db: OrgDb, clients: Clients, id: string): Promise<Output<Operations["retryBlast"]>> {
  await getBlastView(db, id);
  await requireConfirmed(db, clients);
  const failed = await findFailed(db, id);
  const reachable = await findReachable(db, clients, failed);
  return transaction(db, async (tx) => {
    const blast = await tx.getForUpdate(Blast, id, "Blast", { deletedAt: null });
    if (blast.status !== "completed" && blast.status !== "failed")
      throw conflict(`The blast is ${blast.status}. Messages are sent again once it is completed or failed.`, "invalid_transition");
    tx.assign(blast, { status: blastStates.transition(blast.status, "sending"), completedAt: null, error: null });
    const retried = await tx.all(sql`update blast_recipient r set status = 'pending', message_id = null, updated_at = now(), version = r.version + 1
      from message m where r.organization_id = ${tx.organizationId} and r.id = any(${reachable}::uuid[]) and r.status = 'queued'
        and m.organization_id = r.organization_id and m.id = r.message_id and m.status = 'failed' and m.error is distinct from ${UNCONFIRMED}
      returning r.id`);
    if (retried.length === 0)
      throw conflict(
        failed.length === 0
          ? "No message of the blast can be sent again."
          : "The recipients of the failed messages may not be written to: their addresses are suppressed, or they have opted out or were deleted. Correct their addresses or delete the suppressions, then send the messages again.",
        "invalid_transition",
      );
    await scheduleNow(tx, SEND_BLASTS);
    return { blast: await getBlastView(tx, id) };
  });
}
