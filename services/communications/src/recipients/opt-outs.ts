/** Opt-outs of phone numbers from text messages, and the addresses to which nothing may be sent. */
import { newId } from "@freehold/kit/db/entity";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { eventPublisher } from "@freehold/kit/db/outbox";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { now } from "@freehold/kit/time/clock";
import type { FindOptOutsRequest, OptOut } from "@freehold/proto/communications/v1/communications";
import { startNumber, stopNumber } from "./stopped-numbers.queries.ts";

const publish = eventPublisher("communications");

/**
 * Ends text messages to a phone number in E.164, until it opts in later: of all organizations, and shown in the consents of this one. A repeated
 * opt-out keeps its latest time in `updated_at`.
 */
export async function optOut(tx: OrgTx, phone: string, source: string, at = now()): Promise<void> {
  if (!(await stopNumber(tx, phone, at))) return;
  const id = newId();
  const row = await tx.first(sql<{ id: string }>`insert into sms_opt_out as o (organization_id, id, created_at, updated_at, phone, source)
    values (${tx.organizationId}, ${id}, ${at}, ${at}, ${phone}, ${source})
    on conflict (organization_id, phone) where ended_at is null do update set updated_at = greatest(o.updated_at, excluded.updated_at) returning id`);
  if (row?.id === id) await publish(tx, "sms_opt_out.created", { entityId: id, data: {} });
}

/** Ends the opt-out of a phone number in E.164, unless it was requested or repeated after the given time. */
export async function optIn(tx: OrgTx, phone: string, at = now()): Promise<void> {
  await startNumber(tx, phone, at);
  const ended = await tx.all(sql<{ id: string }>`update sms_opt_out set ended_at = now(), version = version + 1
    where organization_id = ${tx.organizationId} and phone = ${phone} and ended_at is null and updated_at <= ${at} returning id`);
  await publish(tx, "sms_opt_out.ended", ...ended.map(({ id }) => ({ entityId: id, data: {} })));
}

/** Returns the opt-outs with the ids, and those in force of the phone numbers in E.164, also from before the organization recorded the number. */
export async function findOptOuts(db: StatementRunner, { ids, phones }: FindOptOutsRequest): Promise<OptOut[]> {
  const rows = await db.all(sql<{ phone: string; stoppedAt: string; endedAt: string | null }>`select phone, created_at as stopped_at, ended_at from sms_opt_out
    where organization_id = ${db.organizationId} and id = any(${ids}::uuid[])
    union select phone, stopped_at, null from stopped_number where phone = any(${phones}) and ended_at is null`);
  return rows.map(({ endedAt, ...optOut }) => ({ ...optOut, ...(endedAt !== null && { endedAt }) }));
}

/** Addresses to which nothing may be sent. */
export interface BlockedAddresses {
  /** Phone numbers in E.164 that opted out. */
  phones: ReadonlySet<string>;
  /** Suppressed e-mail addresses in lower case. */
  emails: ReadonlySet<string>;
  /** Those of them that are suppressed for a complaint only. */
  complained: ReadonlySet<string>;
  /** Opt-outs that ended with START, see `optOutKey`: the consents of portfolio and identity follow them a moment later. */
  restarted: ReadonlySet<string>;
}

/** Returns the key of an opt-out of a phone number in E.164 by its time in ISO 8601. */
export const optOutKey = (phone: string, stoppedAt: string): string => `${phone} ${stoppedAt}`;

/** Returns those of the addresses to which nothing may be sent: phone numbers in E.164, and e-mail addresses in any case. */
export async function findBlockedAddresses(db: StatementRunner, addresses: readonly string[]): Promise<BlockedAddresses> {
  const lower = addresses.map((address) => address.toLowerCase());
  const rows = await db.all(sql<{
    phone: string | null;
    email: string | null;
    reason: string | null;
    endedStop: string | null;
  }>`select phone, null as email, null as reason, case when ended_at is not null then created_at end as ended_stop from sms_opt_out
      where organization_id = ${db.organizationId} and phone = any(${lower})
    union all select phone, null, null, null from stopped_number where phone = any(${lower}) and ended_at is null
    union all select null, address, reason, null from suppressed_address
      where organization_id = ${db.organizationId} and address = any(${lower}) and deleted_at is null`);
  return {
    phones: new Set(rows.flatMap(({ phone, endedStop }) => (phone !== null && endedStop === null ? phone : []))),
    restarted: new Set(rows.flatMap(({ phone, endedStop }) => (phone !== null && endedStop !== null ? optOutKey(phone, endedStop) : []))),
    emails: new Set(rows.flatMap(({ email }) => email ?? [])),
    complained: new Set(rows.flatMap(({ email, reason }) => (email !== null && reason === "complained" ? email : []))),
  };
}
