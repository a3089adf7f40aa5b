/** Blasts of the office to tenants: drafts, schedules and sending. */
import type { Blast as View, blasts } from "@freehold/contract/communications/blasts";
import type { BodyOf, Output, QueryOf } from "@freehold/contract/operation";
import { newId } from "@freehold/kit/db/entity";
import { listConditions, listPage, onDays } from "@freehold/kit/db/list";
import { containsPattern } from "@freehold/kit/like-pattern";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { transaction } from "@freehold/kit/db/transaction";
import { conflict, forbidden, invalid } from "@freehold/kit/errors";
import { versionOf } from "@freehold/kit/http/etag";
import { scheduleNow } from "@freehold/kit/jobs/scheduler";
import { omitUndefined } from "@freehold/kit/omit-undefined";
import { now } from "@freehold/kit/time/clock";
import type { Clients } from "../clients.ts";
import { requireConfirmed } from "../recipients/confirmation.ts";
import { countAudience, describeTarget, findAudience, resolveTarget, type AudienceCounts } from "./audience.ts";
import { Blast } from "./blast.entity.ts";
import { publishBlast, SEND_BLASTS } from "./blast-events.ts";
import { blastColumns, blastView, getBlastView, type BlastRow } from "./blast.queries.ts";
import { blastStates, ORIGINAL_LANGUAGE, requireDistinctLanguages, smsOf } from "./blast.rules.ts";
import { smsSegments } from "./sms-segments.rules.ts";
import { requireTranslator, type Translate } from "./translator.ts";
import { completeVersions } from "./versions.ts";

type Operations = typeof blasts.operations;
type Response = Output<Operations["getBlast"]>;
type Terms = Pick<View, "title" | "body" | "channels" | "target" | "autoTranslate" | "versions">;

/** Dependencies of blasts besides the database. */
export interface BlastDependencies {
  clients: Clients;
  translate: Translate | undefined;
}

/** Returns the counts of a blast's audience at this time. */
async function estimateAudience(db: OrgDb, clients: Clients, { target, channels }: Pick<Terms, "target" | "channels">): Promise<AudienceCounts> {
  return countAudience(await findAudience(db, clients, await resolveTarget(db, clients, target), channels));
}

/** Returns whom a blast reaches now, and its text by language. */
export async function previewBlast(
  db: OrgDb,
  { clients, translate }: BlastDependencies,
  { title, body, channels, target, autoTranslate = false }: BodyOf<Operations["previewBlast"]>,
): Promise<Output<Operations["previewBlast"]>> {
  await describeTarget(db, clients, target);
  const counts = await estimateAudience(db, clients, { target, channels });
  const languages = Object.keys(counts.languageCounts);
  const translated = await completeVersions(translate, { original: { title, body }, versions: [], autoTranslate }, languages);
  const versions = [{ language: ORIGINAL_LANGUAGE, title, body, aiTranslated: false }, ...translated];
  const segments = channels.includes("sms") ? versions.map((version) => ({ language: version.language, ...smsSegments(smsOf(version)) })) : [];
  return { preview: { ...counts, versions, smsSegments: segments } };
}

/** Returns a page of blasts. Dates are days in the organization's time zone. */
export async function listBlasts(db: OrgDb, query: QueryOf<Operations["listBlasts"]>): Promise<Output<Operations["listBlasts"]>> {
  const { search, status, createdAfter, createdBefore, scheduledAfter, scheduledBefore } = query;
  const pattern = search !== undefined && containsPattern(search);
  const { timezone } = db.principal;
  const { rows, paging } = await listPage<BlastRow>(db, query, {
    table: "b",
    select: blastColumns,
    from: sql`blast b`,
    where: [
      ...listConditions(db, "b", query),
      pattern !== false && sql`(b.title ilike ${pattern} or b.body ilike ${pattern})`,
      status && sql`b.status = any(${status})`,
      ...onDays(sql`b.created_at`, createdAfter, createdBefore, timezone),
      ...onDays(sql`b.scheduled_at`, scheduledAfter, scheduledBefore, timezone),
    ],
    sorts: { createdAt: sql`b.created_at`, scheduledAt: sql`b.scheduled_at` },
    nullable: ["scheduledAt"],
  });
  return { blasts: rows.map(blastView), ...paging };
}

/** Throws 400 for a time that is not in the future. */
function requireFuture(scheduledAt: string | null | undefined): void {
  if (scheduledAt && new Date(scheduledAt) <= now())
    throw invalid([{ path: "scheduledAt", code: "min", message: "The time has passed. Choose a later one, or send the blast at once." }]);
}

/** Checks the terms of a blast, and returns its columns with the estimated audience. A stored target with its description may name deleted records. */
async function prepareTerms(db: OrgDb, { clients, translate }: BlastDependencies, terms: Terms, isSending: boolean, described?: View["targetSummary"]) {
  const targetSummary = await describeTarget(db, clients, terms.target, described);
  requireDistinctLanguages(terms.versions);
  if (terms.autoTranslate) requireTranslator(translate);
  const counts = await estimateAudience(db, clients, terms);
  // A draft is translated when it is sent, since its text and its audience may change.
  const versions = await completeVersions(
    translate,
    { ...terms, original: terms, autoTranslate: isSending && terms.autoTranslate },
    Object.keys(counts.languageCounts),
  );
  return { ...terms, channels: [...new Set(terms.channels)], targetSummary, versions, ...counts };
}

/** Creates a draft, or a scheduled blast. Throws 403 for a scheduled one of an organization without a confirmed e-mail address. */
export async function createBlast(db: OrgDb, dependencies: BlastDependencies, body: BodyOf<Operations["createBlast"]>): Promise<Response> {
  const { scheduledAt, ...requested } = body;
  if (scheduledAt !== undefined) await requireConfirmed(db, dependencies.clients);
  const versions = requested.versions.map((version) => ({ ...version, aiTranslated: false }));
  const columns = await prepareTerms(db, dependencies, { ...requested, versions }, scheduledAt !== undefined);
  requireFuture(scheduledAt);
  const { userId } = db.principal;
  if (userId === null) throw forbidden("A blast needs a user as its sender.");
  const { users } = await dependencies.clients.identity.getUsers(db, { ids: [userId] });
  return transaction(db, async (tx) => {
    const id = newId();
    tx.create(Blast, {
      ...columns,
      id,
      status: scheduledAt === undefined ? "draft" : "scheduled",
      actorUserId: userId,
      actorName: users[0]?.fullName ?? "Service key",
      scheduledAt: scheduledAt === undefined ? null : new Date(scheduledAt),
      queuedAt: null,
      completedAt: null,
      error: null,
      deletedAt: null,
    });
    if (scheduledAt !== undefined) await scheduleNow(tx, SEND_BLASTS);
    return { blast: await getBlastView(tx, id) };
  });
}

export const getBlast = async (db: OrgDb, id: string): Promise<Response> => ({ blast: await getBlastView(db, id) });

/** Changes a draft or a scheduled blast. Throws 403 for a time to send it of an organization without a confirmed e-mail address. */
export function updateBlast(
  db: OrgDb,
  dependencies: BlastDependencies,
  id: string,
  { scheduledAt, ...body }: BodyOf<Operations["updateBlast"]>,
): Promise<Response> {
  const versions = body.versions?.map((version) => ({ ...version, aiTranslated: false }));
  const changes = omitUndefined({ ...body, versions });
  return changePrepared(
    db,
    id,
    async (current) => {
      if (scheduledAt) await requireConfirmed(db, dependencies.clients);
      const isScheduled = scheduledAt === undefined ? current.status === "scheduled" : scheduledAt !== null;
      const columns = await prepareTerms(db, dependencies, termsOf(current, changes), isScheduled, changes.target ? undefined : current.targetSummary);
      requireFuture(scheduledAt);
      return columns;
    },
    async (blast, columns, tx) => {
      // Another status than that of a draft or scheduled blast is refused like a schedule.
      if (blast.status !== "scheduled") blastStates.transition(blast.status, "scheduled");
      tx.assign(blast, columns);
      if (scheduledAt === null) tx.assign(blast, { status: "draft", scheduledAt: null });
      else if (scheduledAt !== undefined) await schedule(tx, blast, scheduledAt);
    },
  );
}

/** Schedules a locked blast, or moves a scheduled one. */
async function schedule(tx: OrgTx, blast: Blast, scheduledAt: string): Promise<void> {
  tx.assign(blast, { status: "scheduled", scheduledAt: new Date(scheduledAt) });
  await scheduleNow(tx, SEND_BLASTS);
}

const termsOf = ({ title, body, channels, target, autoTranslate, versions }: View, changes: Partial<Terms> = {}): Terms => ({
  title,
  body,
  channels,
  target,
  autoTranslate,
  versions,
  ...changes,
});

/** Locks a blast and applies a change. */
const change = (db: OrgDb, id: string, apply: (blast: Blast, tx: OrgTx) => Promise<void> | void): Promise<Response> =>
  transaction(db, async (tx) => {
    const blast = await tx.getForUpdate(Blast, id, "Blast", { deletedAt: null });
    await apply(blast, tx);
    return { blast: await getBlastView(tx, id, { includeDeleted: true }) };
  });

/** Rolls a transaction back whose change was prepared with an earlier version of the blast. */
class Outdated extends Error {}

type Columns = Awaited<ReturnType<typeof prepareTerms>>;

/**
 * Prepares a change with the text and audience of a blast, without a lock, since that calls other services, then applies it. Prepares it again
 * when the blast has changed meanwhile. This ends, because each repetition means that another request has committed its change.
 */
async function changePrepared(
  db: OrgDb,
  id: string,
  prepare: (current: View) => Promise<Columns>,
  apply: (blast: Blast, columns: Columns, tx: OrgTx) => Promise<void>,
): Promise<Response> {
  for (;;) {
    const current = await getBlastView(db, id);
    const columns = await prepare(current);
    try {
      return await change(db, id, async (blast, tx) => {
        const { version } = blast;
        // First, since a blast that is being sent, and has its counts changed all the time, is refused.
        await apply(blast, columns, tx);
        if (version !== versionOf({ current })) throw new Outdated();
      });
    } catch (error) {
      if (!(error instanceof Outdated)) throw error;
    }
  }
}

/** Queues a draft. The job sends it. Throws 403 for an organization without a confirmed e-mail address. */
export const sendBlast = (db: OrgDb, dependencies: BlastDependencies, id: string): Promise<Response> =>
  changePrepared(
    db,
    id,
    async (current) => {
      await requireConfirmed(db, dependencies.clients);
      return prepareTerms(db, dependencies, termsOf(current), current.status === "draft", current.targetSummary);
    },
    async (blast, columns, tx) => {
      if (blast.status === "scheduled") throw conflict("The blast is scheduled. Unschedule it first, to send it at once.", "invalid_transition");
      blastStates.transition(blast.status, "queued");
      tx.assign(blast, { ...columns, status: "queued", queuedAt: now() });
      await publishBlast(tx, "blast.queued", blast);
      await scheduleNow(tx, SEND_BLASTS);
    },
  );

/** Schedules a draft. Throws 403 for an organization without a confirmed e-mail address. */
export const scheduleBlast = (
  db: OrgDb,
  dependencies: BlastDependencies,
  id: string,
  { scheduledAt }: BodyOf<Operations["scheduleBlast"]>,
): Promise<Response> =>
  changePrepared(
    db,
    id,
    async (current) => {
      await requireConfirmed(db, dependencies.clients);
      const columns = await prepareTerms(db, dependencies, termsOf(current), true, current.targetSummary);
      requireFuture(scheduledAt);
      return columns;
    },
    async (blast, columns, tx) => {
      blastStates.transition(blast.status, "scheduled");
      tx.assign(blast, columns);
      await schedule(tx, blast, scheduledAt);
    },
  );

/** Makes a scheduled blast a draft again. */
export const unscheduleBlast = (db: OrgDb, id: string): Promise<Response> =>
  change(db, id, (blast) => {
    Object.assign(blast, { status: blastStates.transition(blast.status, "draft"), scheduledAt: null });
  });

/** Deletes a draft. */
export const deleteBlast = (db: OrgDb, id: string): Promise<Response> =>
  change(db, id, (blast) => {
    // Only a draft can be scheduled, so every other status is refused.
    blastStates.transition(blast.status, "scheduled");
    blast.deletedAt = now();
  });
