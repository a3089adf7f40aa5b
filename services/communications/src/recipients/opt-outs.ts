/** Opt-outs of phone numbers from text messages, and suppressed e-mail addresses. */
import { newId } from "@freehold/kit/db/entity";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { sql } from "@freehold/kit/db/statement";
import { now } from "@freehold/kit/time/clock";
import type { SuppressedAddress } from "./opt-out.entity.ts";

const publish = eventPublisher("communications");

/** Ends text messages to a phone number in E.164, until it opts in later. A repeated opt-out keeps its latest time in `updated_at`. */
export const optOut = (tx: OrgTx, phone: string, source: string, at = now()): Promise<unknown[]> =>
  tx.all(sql`insert into sms_opt_out as o (organization_id, id, created_at, updated_at, phone, source)
    values (${tx.organizationId}, ${newId()}, ${at}, ${at}, ${phone}, ${source})
    on conflict (organization_id, phone) where ended_at is null do update set updated_at = greatest(o.updated_at, excluded.updated_at)`);

/** Ends the opt-out of a phone number in E.164, unless it was requested or repeated after the given time. */
export const optIn = (tx: OrgTx, phone: string, at = now()): Promise<unknown[]> =>
  tx.all(sql`update sms_opt_out set ended_at = now(), version = version + 1
    where organization_id = ${tx.organizationId} and phone = ${phone} and ended_at is null and updated_at <= ${at}`);

/** Publishes that an address was suppressed, or that its suppression was lifted, to admins. */
export const publishSuppression = (
  tx: OrgTx,
  type: "suppression.created" | "suppression.deleted",
  { id, reason }: Pick<SuppressedAddress, "id" | "reason">,
): Promise<void> => publish(tx, type, { entityId: id, data: { reason }, audience: { roles: ["admin"] } });

/**
 * Ends e-mails to an address that returned one for good or complained about one, also if an earlier suppression was lifted. A bounce of an address
 * that has complained is the reason from then on.
 */
export async function suppressAddress(tx: OrgTx, address: string, reason: SuppressedAddress["reason"]): Promise<void> {
  const suppressed = await tx.first(sql<{
    id: string;
  }>`insert into suppressed_address as s (organization_id, id, created_at, updated_at, address, reason, suppressed_at)
    values (${tx.organizationId}, ${newId()}, now(), now(), lower(${address}), ${reason}, now())
    on conflict (organization_id, address) do update set reason = excluded.reason, suppressed_at = now(), deleted_at = null, deleted_by_user_id = null,
      updated_at = now(), version = s.version + 1
    where s.deleted_at is not null or (s.reason = 'complained' and excluded.reason = 'bounced') returning id`);
  if (suppressed) await publishSuppression(tx, "suppression.created", { id: suppressed.id, reason });
}

/** Addresses to which nothing may be sent. */
export interface BlockedAddresses {
  /** Phone numbers in E.164 that opted out. */
  phones: ReadonlySet<string>;
  /** Suppressed e-mail addresses in lower case. */
  emails: ReadonlySet<string>;
  /** Those of them that are suppressed for a complaint only. */
  complained: ReadonlySet<string>;
}

/** Returns those of the addresses to which nothing may be sent: phone numbers in E.164, and e-mail addresses in any case. */
export async function findBlockedAddresses(db: StatementRunner, addresses: readonly string[]): Promise<BlockedAddresses> {
  const lower = addresses.map((address) => address.toLowerCase());
  const rows = await db.all(sql<{
    phone: string | null;
    email: string | null;
    reason: string | null;
  }>`select phone, null as email, null as reason from sms_opt_out
      where organization_id = ${db.organizationId} and phone = any(${lower}) and ended_at is null
    union all select null, address, reason from suppressed_address
      where organization_id = ${db.organizationId} and address = any(${lower}) and deleted_at is null`);
  return {
    phones: new Set(rows.flatMap(({ phone }) => phone ?? [])),
    emails: new Set(rows.flatMap(({ email }) => email ?? [])),
    complained: new Set(rows.flatMap(({ email, reason }) => (email !== null && reason === "complained" ? email : []))),
  };
}
