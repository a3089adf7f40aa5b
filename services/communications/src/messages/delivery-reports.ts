/** Reports of providers about messages that they had accepted. */
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import { statusChange } from "./message.queries.ts";

/** Error of an e-mail that was returned for good. */
const BOUNCED = "bounced";

/** Sets the final status of sent messages. A repeated or late report changes nothing. */
const complete = (db: StatementRunner, condition: RawBuilder<unknown>, status: "delivered" | "failed", error: string | null): Promise<unknown[]> =>
  db.all(sql`update message set status = ${status}, error = ${error}, delivered_at = case when ${status === "delivered"} then now() end,
      history = history || ${statusChange(sql`${status}::text`, error)}, updated_at = now(), version = version + 1
    where organization_id = ${db.organizationId} and status = 'sent' and ${condition}`);

/** Records that a text message was delivered or failed. */
export const recordSmsReport = (
  db: StatementRunner,
  { providerMessageId, status, error }: { providerMessageId: string; status: "delivered" | "failed"; error: string | null },
): Promise<unknown[]> => complete(db, sql`channel = 'sms' and provider_message_id = ${providerMessageId}`, status, error);

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
