/** Opt-outs of phone numbers from text messages, and the addresses to which nothing may be sent. */
import { newId } from "@freehold/kit/db/entity";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { now } from "@freehold/kit/time/clock";

/** Ends text messages to a phone number in E.164, until it opts in later. A repeated opt-out keeps its latest time in `updated_at`. */
export const optOut = (tx: OrgTx, phone: string, source: string, at = now()): Promise<unknown[]> =>
  tx.all(sql`insert into sms_opt_out as o (organization_id, id, created_at, updated_at, phone, source)
    values (${tx.organizationId}, ${newId()}, ${at}, ${at}, ${phone}, ${source})
    on conflict (organization_id, phone) where ended_at is null do update set updated_at = greatest(o.updated_at, excluded.updated_at)`);

/** Ends the opt-out of a phone number in E.164, unless it was requested or repeated after the given time. */
export const optIn = (tx: OrgTx, phone: string, at = now()): Promise<unknown[]> =>
  tx.all(sql`update sms_opt_out set ended_at = now(), version = version + 1
    where organization_id = ${tx.organizationId} and phone = ${phone} and ended_at is null and updated_at <= ${at}`);

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
