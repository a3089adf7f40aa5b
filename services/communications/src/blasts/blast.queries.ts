/** SQL of blasts, and their API representation. */
import type { Blast as View, BlastRecipient as RecipientView } from "@freehold/contract/communications/blasts";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { notFound } from "@freehold/kit/errors";
import { withVersion } from "@freehold/kit/http/etag";

/** Numbers of the messages of a blast by status. */
export type Stats = View["recipientStats"];
export type BlastRow = Omit<View, "actorUser" | "recipientCountIsEstimate" | "languageCount"> & { actorUserId: string; actorName: string; version: number };

/** Status of the recipient `r` with its message `m`. */
export const recipientStatus = sql`case when r.status = 'queued' then case m.status when 'queued' then 'pending' when 'failed' then 'failed'
  when 'skipped' then 'skipped' else 'dispatched' end else r.status end`;

/** Recipients `r` with their messages `m`. */
export const fromRecipients = sql`blast_recipient r left join message m on m.organization_id = r.organization_id and m.id = r.message_id`;

const stats = sql`(select json_build_object('dispatched', count(*) filter (where s.status = 'dispatched'), 'failed', count(*) filter (where s.status = 'failed'),
    'pending', count(*) filter (where s.status = 'pending'), 'total', count(*) filter (where s.status <> 'skipped'))
  from (select ${recipientStatus} as status from ${fromRecipients} where r.organization_id = b.organization_id and r.blast_id = b.id) s)`;

export const blastColumns = sql`b.id, b.title, b.body, b.channels, b.auto_translate, b.status, b.actor_user_id, b.actor_name, b.target, b.target_summary,
  b.recipient_count, ${stats} as recipient_stats, b.skipped_unlinked_tenant_count, b.language_counts, b.versions, b.scheduled_at, b.queued_at, b.completed_at, b.error,
  b.created_at, b.updated_at, b.deleted_at, b.version`;

export const blastView = ({ actorUserId, actorName, version, ...row }: BlastRow): View =>
  withVersion(
    {
      ...row,
      actorUser: { id: actorUserId, fullName: actorName },
      recipientCountIsEstimate: row.status === "draft" || row.status === "scheduled" || row.status === "queued",
      languageCount: Object.keys(row.languageCounts).length,
    },
    version,
  );

/** Returns a blast, a deleted one only with `includeDeleted`. Throws 404. */
export async function getBlastView(db: StatementRunner, id: string, { includeDeleted = false } = {}): Promise<View> {
  const row = await db.first(sql<BlastRow>`select ${blastColumns} from blast b
    where b.organization_id = ${db.organizationId} and b.id = ${id} and (${includeDeleted} or b.deleted_at is null)`);
  if (!row) throw notFound("Blast");
  return blastView(row);
}

/** Returns the messages of a blast by status. */
export async function readStats(db: StatementRunner, id: string): Promise<Stats> {
  const row = await db.first(sql<{ stats: Stats }>`select ${stats} as stats from blast b where b.organization_id = ${db.organizationId} and b.id = ${id}`);
  return row!.stats;
}

export const recipientColumns = sql`r.id, r.tenant_id, r.channel, r.language, ${recipientStatus} as status,
  coalesce(r.skip_reason, case when m.status = 'skipped' then m.error end) as skip_reason, m.sent_at, case when m.status <> 'skipped' then m.error end as error`;
export type RecipientRow = RecipientView;
