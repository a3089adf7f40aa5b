/** Reports of providers about messages that they had accepted. */
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import { completeMessage, statusChange } from "./message.queries.ts";

/** Error of an e-mail that was returned for good. */
const BOUNCED = "bounced";

/** Sets the final status of sent messages. A repeated or late report changes nothing. */
const complete = (db: StatementRunner, condition: RawBuilder<unknown>, status: "delivered" | "failed", error: string | null): Promise<unknown[]> =>
  db.all(sql`update message set status = ${status}, error = ${error}, delivered_at = case when ${status === "delivered"} then now() end,
      history = history || ${statusChange(sql`${status}::text`, error)}, updated_at = now(), version = version + 1
    where organization_id = ${db.organizationId} and status = 'sent' and ${condition} returning id`);

interface SmsReport {
  providerMessageId: string;
  status: "delivered" | "failed";
  error: string | null;
}

/** Records that a text message was delivered or failed, or a part of one. */
export async function recordSmsReport(db: StatementRunner, report: SmsReport): Promise<void> {
  const { providerMessageId, status, error } = report;
  const completed = await complete(db, sql`channel = 'sms' and provider_message_id = ${providerMessageId} and part_ids = '{}'`, status, error);
  if (completed.length === 0) await recordPartReport(db, report);
}

/** Records the report of a part. The text message is delivered once all its parts are, and fails with the first that fails, before the others are sent. */
async function recordPartReport(db: StatementRunner, { providerMessageId, status, error }: SmsReport): Promise<void> {
  const hasPart = sql`channel = 'sms' and part_ids <> '{}' and part_ids @> array[${providerMessageId}::text]`;
  if (status === "failed") {
    const queued = await db.all(sql<{ id: string }>`select id from message where organization_id = ${db.organizationId} and status = 'queued' and ${hasPart}`);
    for (const { id } of queued) await completeMessage(db, id, { status, error });
    await complete(db, hasPart, status, error);
    return;
  }
  await db.all(sql`update message set delivered_part_ids = array_append(delivered_part_ids, ${providerMessageId}::text), updated_at = now(), version = version + 1
    where organization_id = ${db.organizationId} and status in ('queued', 'sent') and ${hasPart} and ${providerMessageId} <> all(delivered_part_ids)`);
  await complete(db, sql`${hasPart} and delivered_part_ids @> part_ids`, status, error);
}

/** E-mails, given by their `Message-ID`, to one of the addresses. */
interface SentEmails {
  addresses: string[];
  emailMessageIds: string[];
}

const isOneOf = ({ addresses, emailMessageIds }: SentEmails): RawBuilder<unknown> => {
  const ids = emailMessageIds.flatMap((id) => /^<([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})@/i.exec(id)?.[1] ?? []);
  return sql`channel = 'email' and id = any(${ids}::uuid[]) and lower(to_address) = any(${addresses}::text[])`;
};

/** Records that e-mails were returned by one of the addresses for good. */
export async function recordBounce(db: StatementRunner, emails: SentEmails): Promise<void> {
  await complete(db, isOneOf(emails), "failed", BOUNCED);
}

/** Returns those of the addresses to which the organization has sent one of the e-mails. */
export async function findSentAddresses(db: StatementRunner, emails: SentEmails): Promise<string[]> {
  const rows = await db.all(sql<{ address: string }>`select distinct lower(to_address) as address from message
    where organization_id = ${db.organizationId} and ${isOneOf(emails)}`);
  return rows.map(({ address }) => address);
}
