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

/** Records that e-mails, given by their `Message-ID`, were returned by one of the addresses for good. */
export async function recordBounce(db: StatementRunner, { addresses, emailMessageIds }: { addresses: string[]; emailMessageIds: string[] }): Promise<void> {
  const ids = emailMessageIds.flatMap((id) => /^<([0-9a-f-]{36})@/i.exec(id)?.[1] ?? []);
  await complete(db, sql`channel = 'email' and id::text = any(${ids}::text[]) and lower(to_address) = any(${addresses}::text[])`, "failed", BOUNCED);
}
