/** Recipients of a blast. */
import type { blasts } from "@freehold/contract/communications/blasts";
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
import { Blast } from "./blast.entity.ts";
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

/** Makes the failed messages of a blast pending again, except those that may have been sent. Throws 403 for an organization without a confirmed e-mail address. */
export async function retryBlast(db: OrgDb, clients: Clients, id: string): Promise<Output<Operations["retryBlast"]>> {
  await getBlastView(db, id);
  await requireConfirmed(db, clients);
  return transaction(db, async (tx) => {
    const blast = await tx.getForUpdate(Blast, id, "Blast", { deletedAt: null });
    if (blast.status !== "completed" && blast.status !== "failed")
      throw conflict(`The blast is ${blast.status}. Messages are sent again once it is completed or failed.`, "invalid_transition");
    tx.assign(blast, { status: blastStates.transition(blast.status, "sending"), completedAt: null, error: null });
    const retried = await tx.all(sql`update blast_recipient r set status = 'pending', message_id = null, updated_at = now(), version = r.version + 1
      from message m where r.organization_id = ${tx.organizationId} and r.blast_id = ${id} and r.status = 'queued'
        and m.organization_id = r.organization_id and m.id = r.message_id and m.status = 'failed' and m.error is distinct from ${UNCONFIRMED}
      returning r.id`);
    if (retried.length === 0) throw conflict("No message of the blast can be sent again.", "invalid_transition");
    await scheduleNow(tx, SEND_BLASTS);
    return { blast: await getBlastView(tx, id) };
  });
}
