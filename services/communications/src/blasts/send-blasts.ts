/**
 * Job that sends queued and due scheduled blasts: it determines the recipients, then queues their messages in lots, each in one transaction.
 * A run that dies is continued by the next one, and no message is queued twice.
 */
import { OrgDb } from "@freehold/kit/db/org-db";
import { newId } from "@freehold/kit/db/entity";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { transaction } from "@freehold/kit/db/transaction";
import { nextRunIn, secondsTo } from "@freehold/kit/jobs/run-delay";
import { workThrough } from "@freehold/kit/jobs/work-through";
import { now } from "@freehold/kit/time/clock";
import type { Clients } from "../clients.ts";
import { queueMessages, type OutgoingMessage } from "../messages/queue-messages.ts";
import type { MessageTransports } from "../messages/transports.ts";
import { insertNotifications } from "../notifications/insert-notifications.ts";
import { addressOf } from "../recipients/eligibility.rules.ts";
import { renderConversationMessage } from "../templates/conversation-message.ts";
import { AUDIENCE_LOT, countAudience, findAudience, resolveTarget, withDistinctAddresses, type AudienceMember } from "./audience.ts";
import { Blast, BlastRecipient, type BlastChannel } from "./blast.entity.ts";
import { publishBlast } from "./blast-events.ts";
import { forgetProgress, isProgressDue, publishProgress } from "./progress.ts";
import { getBlastView, readStats } from "./blast.queries.ts";
import { blastStates, smsOf, textFor } from "./blast.rules.ts";
import type { Translate } from "./translator.ts";
import { translateForAudience } from "./versions.ts";

/** Recipients whose messages are queued in one transaction. */
const LOT = 100;
const POLL_MS = 1_000;
const IDLE_MS = 600_000;

interface Dependencies {
  clients: Clients;
  translate?: Translate | undefined;
  transports: MessageTransports;
}

/**
 * Sends the due blasts of an organization and returns the time of the next run. A blast that fails does not hold up the others; then an error is
 * thrown, so that the job is reported as failed and runs again.
 */
export async function sendBlasts(systemDb: OrgDb, dependencies: Dependencies): Promise<Date> {
  let haveEnded: boolean;
  try {
    await workThrough(await findDue(systemDb), (due) => queueDue(systemDb, due));
  } finally {
    haveEnded = await continueBlasts(systemDb, dependencies);
  }
  if (!haveEnded) return nextRunIn(undefined, POLL_MS);
  const next = await systemDb.first(sql<{ seconds: number | null }>`select ${secondsTo(sql`min(scheduled_at)`)} as seconds from blast
    where organization_id = ${systemDb.organizationId} and status = 'scheduled' and deleted_at is null`);
  return nextRunIn(next?.seconds, IDLE_MS);
}

/** Continues the queued blasts as far as possible. Returns true when all have ended. */
async function continueBlasts(systemDb: OrgDb, dependencies: Dependencies): Promise<boolean> {
  const blasts = await systemDb.all(sql<{ id: string }>`select id from blast where organization_id = ${systemDb.organizationId}
    and status in ('queued', 'sending') and deleted_at is null order by queued_at, id`);
  if (blasts.length === 0) return true;
  const { timezone, name } = await dependencies.clients.identity.getOrganization(systemDb, {});
  // Residents are those of the day in the organization's time zone.
  const db = new OrgDb(systemDb.database, { ...systemDb.principal, timezone }, systemDb.request);
  let haveEnded = true;
  await workThrough(blasts, async ({ id }) => {
    if (!(await continueBlast(db, dependencies, id, name))) haveEnded = false;
  });
  return haveEnded;
}

interface DueBlast {
  id: string;
  scheduledAt: string;
}

/** Returns the scheduled blasts whose time has come. */
const findDue = (db: OrgDb): Promise<DueBlast[]> =>
  db.all(sql<DueBlast>`select id, scheduled_at from blast where organization_id = ${db.organizationId} and status = 'scheduled'
    and scheduled_at <= now() and deleted_at is null`);

/** Queues a scheduled blast whose time has come, unless it was changed meanwhile. */
const queueDue = (db: OrgDb, { id, scheduledAt }: DueBlast): Promise<void> =>
  transaction(db, async (tx) => {
    const blast = await tx.getForUpdate(Blast, id, "Blast");
    if (blast.status !== "scheduled" || blast.scheduledAt?.getTime() !== Date.parse(scheduledAt)) return;
    tx.assign(blast, { status: blastStates.transition(blast.status, "queued"), queuedAt: now() });
    await publishBlast(tx, "blast.queued", blast);
  });

/** Continues a blast as far as possible. Returns true once it has ended. */
async function continueBlast(db: OrgDb, dependencies: Dependencies, id: string, organizationName: string): Promise<boolean> {
  const status = await db.first(sql<{ status: string }>`select status from blast where organization_id = ${db.organizationId} and id = ${id}`);
  if (status?.status === "queued") await insertRecipients(db, dependencies, id);
  while (await sendLot(db, dependencies, id, organizationName));
  return finishOrPublishProgress(db, id);
}

/**
 * Inserts the recipients of a queued blast, in lots, and translates it into languages that they have got since it was requested. A repetition inserts
 * those that are missing.
 */
async function insertRecipients(db: OrgDb, { clients, translate }: Dependencies, id: string): Promise<void> {
  const blast = await getBlastView(db, id, { includeDeleted: true });
  const { tenantIds, minorIds } = await resolveTarget(db, clients, blast.target);
  const audience: AudienceMember[] = [];
  const addresses = new Set<string>();
  for (let start = 0; start < tenantIds.length; start += AUDIENCE_LOT) {
    const addressees = { tenantIds: tenantIds.slice(start, start + AUDIENCE_LOT), minorIds };
    const lot = withDistinctAddresses(await findAudience(db, clients, addressees, blast.channels), addresses);
    audience.push(...lot);
    const rows = lot.flatMap(({ contact, language, channels }) =>
      channels.map(({ channel, skipReason }) => ({ id: newId(), tenant_id: contact.id, channel, language, skip_reason: skipReason })),
    );
    await transaction(db, (tx) =>
      tx.all(sql`insert into blast_recipient (organization_id, id, created_at, updated_at, blast_id, tenant_id, channel, language, status, skip_reason)
        select ${tx.organizationId}, id, now(), now(), ${id}, tenant_id, channel, language, case when skip_reason is null then 'pending' else 'skipped' end, skip_reason
        from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as input (id uuid, tenant_id uuid, channel text, language text, skip_reason text)
        on conflict (organization_id, blast_id, tenant_id, channel) do nothing`),
    );
  }
  const counts = countAudience(audience);
  const translated = await translateForAudience(translate, blast, Object.keys(counts.languageCounts));
  await transaction(db, async (tx) => {
    const locked = await tx.getForUpdate(Blast, id, "Blast");
    if (locked.status !== "queued") return;
    tx.assign(locked, { ...counts, ...translated, status: blastStates.transition(locked.status, "sending") });
    await publishBlast(tx, "blast.progress", locked);
  });
}

/**
 * Queues the messages of the next recipients, and publishes the progress if it is due. Recipients who may no longer be written to are skipped. Returns false
 * when none is left.
 */
async function sendLot(db: OrgDb, { clients, transports }: Dependencies, id: string, organizationName: string): Promise<boolean> {
  const waiting = await db.all(sql<Waiting>`select id, tenant_id, channel, language from blast_recipient
    where organization_id = ${db.organizationId} and blast_id = ${id} and status = 'pending' order by id limit ${LOT}`);
  if (waiting.length === 0) return false;
  const channels = [...new Set(waiting.map(({ channel }) => channel))];
  const reached = await findAudience(db, clients, { tenantIds: [...new Set(waiting.map(({ tenantId }) => tenantId))] }, channels);
  const byTenant = new Map(reached.map((each) => [each.contact.id, each]));
  const isDue = isProgressDue(id);
  const remember = await transaction(db, async (tx) => {
    const blast = await tx.getForUpdate(Blast, id, "Blast");
    const recipients = await lockPending(tx, waiting);
    const results: RecipientResult[] = [];
    const messages: OutgoingMessage[] = [];
    for (const recipient of recipients) {
      const tenant = byTenant.get(recipient.tenantId);
      const skipReason = tenant ? tenant.channels.find(({ channel }) => channel === recipient.channel)!.skipReason : "deleted";
      const message = skipReason ? undefined : await messageFor(tx, blast, recipient, tenant!, organizationName);
      if (message) messages.push(message);
      results.push({ id: recipient.id, skip_reason: skipReason, message_id: message?.id ?? null });
    }
    await queueMessages(tx, transports, messages);
    await saveResults(tx, results);
    return isDue ? publishProgress(tx, blast) : undefined;
  });
  remember?.();
  return true;
}

type Waiting = Pick<BlastRecipient, "id" | "tenantId" | "channel" | "language">;

/** Locks those of some recipients that are still pending. */
const lockPending = (tx: OrgTx, waiting: readonly Waiting[]): Promise<Waiting[]> =>
  tx.all(sql<Waiting>`select id, tenant_id, channel, language from blast_recipient
    where organization_id = ${tx.organizationId} and id = any(${waiting.map(({ id }) => id)}::uuid[]) and status = 'pending' order by id for update`);

/** Message of a recipient, or the reason why the recipient is skipped. */
interface RecipientResult {
  id: string;
  skip_reason: string | null;
  message_id: string | null;
}

const saveResults = (tx: OrgTx, results: readonly RecipientResult[]): Promise<unknown[]> =>
  tx.all(sql`update blast_recipient r set status = case when result.message_id is null then 'skipped' else 'queued' end, skip_reason = result.skip_reason,
      message_id = result.message_id, updated_at = now(), version = r.version + 1
    from jsonb_to_recordset(${JSON.stringify(results)}::jsonb) as result (id uuid, skip_reason text, message_id uuid)
    where r.organization_id = ${tx.organizationId} and r.id = result.id`);

/** Returns the message of a recipient. A message in the portal is a notification of each user of the tenant. */
async function messageFor(tx: OrgTx, blast: Blast, recipient: Waiting, { contact }: AudienceMember, organizationName: string): Promise<OutgoingMessage> {
  const text = textFor(blast, recipient.language);
  const channel: BlastChannel = recipient.channel;
  if (channel === "in_app") await notify(tx, blast, contact.userIds, text);
  const content =
    channel === "email"
      ? renderConversationMessage({ subject: text.title, organizationName, body: text.body, documents: [] })
      : { subject: null, text: channel === "sms" ? smsOf(text) : text.body, html: null };
  return { id: newId(), channel, template: "blast", recipient: { type: "tenant", id: contact.id }, to: addressOf(contact, channel) ?? "", ...content };
}

/** Notifies the users of a tenant in the application. Their preferences do not concern blasts, which have channels of their own. */
function notify(tx: OrgTx, { id, actorUserId, actorName }: Blast, userIds: readonly string[], text: { title: string; body: string }): Promise<void> {
  const common = { type: "blast", entityType: "blast", entityId: id, actorUserId, actorName, priority: "normal", deliveryMode: "immediate" } as const;
  return insertNotifications(
    tx,
    userIds.map((userId) => ({ ...common, ...text, userId, channels: ["in_app"] as const })),
  );
}

/**
 * Ends a blast once each message has been attempted: it has failed when none was accepted or is still attempted. Returns true if it has ended; until then
 * publishes its progress if it is due.
 */
async function finishOrPublishProgress(db: OrgDb, id: string): Promise<boolean> {
  const unattempted = await db.first(sql`select r.id from blast_recipient r join message m on m.organization_id = r.organization_id and m.id = r.message_id
    where r.organization_id = ${db.organizationId} and r.blast_id = ${id} and m.status = 'queued' and m.attempts = 0 limit 1`);
  if (unattempted && !isProgressDue(id)) return false;
  const remember = await transaction(db, async (tx) => {
    const blast = await tx.getForUpdate(Blast, id, "Blast");
    if (blast.status !== "sending") return undefined;
    if (unattempted) return publishProgress(tx, blast);
    const stats = await readStats(tx, id);
    const { dispatched, pending } = stats;
    const status = dispatched + pending > 0 ? ("completed" as const) : ("failed" as const);
    const error = status === "failed" ? "No message could be sent. See the recipients for the reasons." : (blast.error ?? null);
    tx.assign(blast, { status: blastStates.transition(blast.status, status), completedAt: now(), error });
    await publishBlast(tx, `blast.${status}`, blast, stats);
    return undefined;
  });
  remember?.();
  if (!unattempted) forgetProgress(id);
  return !unattempted;
}
