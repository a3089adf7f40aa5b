/** Limits of organizations none of whose admins has confirmed an e-mail address, so that nobody uses them to write to strangers. */
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { forbidden } from "@freehold/kit/errors";
import { sql } from "@freehold/kit/db/statement";
import type { Clients } from "../clients.ts";

const MAX_DAILY_MESSAGES = 50;

/** Templates of messages to people whom the organization names, with texts that it writes. */
const limitedTemplates = ["conversation-message", "work-order-assigned", "owner-statement"];

export const isLimitedTemplate = (template: string): boolean => limitedTemplates.includes(template);

/** Returns whether an admin has confirmed an e-mail address. Calls identity, so call it before a transaction. */
export async function hasConfirmedAddress(db: OrgDb, { identity }: Clients): Promise<boolean> {
  // An older identity does not tell.
  return (await identity.getOrganization(db, {})).isConfirmed !== false;
}

/** Throws 403 unless an admin has confirmed an e-mail address. Calls identity, so call it before a transaction. */
export async function requireConfirmed(db: OrgDb, clients: Clients): Promise<void> {
  if (!(await hasConfirmedAddress(db, clients)))
    throw forbidden(`Blasts are sent once an admin of the organization has confirmed their e-mail address. ${REMEDY}`, "email_unconfirmed");
}

const REMEDY = "Open the link in the e-mail that was sent after the sign-up, or request another one with POST /api/auth/email/resend.";

/**
 * Returns how many e-mails and text messages to people an unconfirmed organization has left within 24 hours. Its transactions that send such messages
 * wait for each other, so that together they keep the limit.
 */
export async function countMessagesLeft(tx: OrgTx): Promise<number> {
  await tx.all(sql`select pg_advisory_xact_lock(hashtextextended(${`messages before confirmation ${tx.organizationId}`}, 0))`);
  const row = await tx.first(sql<{ count: number }>`select count(*)::int as count from message where organization_id = ${tx.organizationId}
    and channel <> 'in_app' and template = any(${limitedTemplates}) and status <> 'skipped' and created_at > now() - interval '1 day'`);
  return Math.max(0, MAX_DAILY_MESSAGES - row!.count);
}

/** Throws 403 when an unconfirmed organization has no message left. */
export async function requireMessageLeft(tx: OrgTx): Promise<void> {
  if ((await countMessagesLeft(tx)) === 0)
    throw forbidden(
      `An organization can send ${MAX_DAILY_MESSAGES} e-mails and text messages to people within 24 hours before an admin has confirmed their e-mail address. ${REMEDY}`,
      "email_unconfirmed",
    );
}
