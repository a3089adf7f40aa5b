/** Delivery of statements to owners: by e-mail with a link, or by a notification in the portal. */
import type { OwnerStatement as View, ownerStatements } from "@freehold/contract/trust/owner-statements";
import type { BodyOf } from "@freehold/contract/operation";
import { systemPrincipal } from "@freehold/kit/auth/principal";
import { OrgDb, type Database } from "@freehold/kit/db/org-db";
import { transaction } from "@freehold/kit/db/transaction";
import { conflict, notFound } from "@freehold/kit/errors";
import type { EventOf } from "@freehold/kit/events/subscriptions";
import { now, startOfDay, today } from "@freehold/kit/time/clock";
import { addDays } from "@freehold/kit/time/plain-date";
import type { Clients } from "../../clients.ts";
import { getLedgerSettings } from "../../settings/ledger-settings.ts";
import { requireOwner } from "../owned-properties.ts";
import { configuredDelivery, issueStatement } from "./issue-statement.ts";
import { OwnerStatement } from "./owner-statement.entity.ts";
import { getOwnerStatement } from "./owner-statements.ts";
import { digestOf, type StatementLinks } from "./statement-link.rules.ts";

type Event = EventOf<"owner_statement.issued">;

const LINK_DAYS = 30;
/** Statuses of a message that the delivery of e-mails has taken over. */
const handedOver = ["queued", "sent", "delivered"];

/** Sends a statement to its owner, also again. Throws 404 for an unknown one, and a 409 for a deleted owner. */
export async function sendOwnerStatement(
  db: OrgDb,
  clients: Clients,
  id: string,
  { delivery }: BodyOf<typeof ownerStatements.operations.sendOwnerStatement>,
): Promise<{ ownerStatement: View }> {
  const { ownerId } = await getOwnerStatement(db, id);
  const owner = await requireOwner(db, clients, ownerId);
  if (owner.isDeleted) throw conflict("The owner is deleted, and gets no statements. Download the statement instead.", "invalid_transition");
  const configured = configuredDelivery(owner);
  return transaction(db, async (tx) => {
    await issueStatement(tx, await tx.getForUpdate(OwnerStatement, id, "Owner statement"), delivery ?? (configured === "none" ? "email" : configured));
    await tx.flush();
    return { ownerStatement: await getOwnerStatement(tx, id) };
  });
}

/**
 * Mails the link to an issued statement to its owner, unless the owner was deleted meanwhile, and records the time of the first e-mail that was
 * queued. The message id is the event id, so a redelivered event sends no second e-mail.
 */
export async function mailStatement(db: OrgDb, clients: Clients, links: StatementLinks, { id, entityId, data }: Event): Promise<void> {
  if (data.delivery !== "email") return;
  const owner = await requireOwner(db, clients, data.ownerId);
  if (owner.isDeleted) return;
  const { organizationName, ownerName, periodStart, periodEnd } = await getOwnerStatement(db, entityId);
  const { timezone } = await getLedgerSettings(db);
  const expiresOn = addDays(today(timezone), LINK_DAYS);
  // The link works on the whole day that the e-mail names.
  const expiresAt = startOfDay(addDays(expiresOn, 1), timezone);
  const link = links.issue({ organizationId: db.organizationId, statementId: entityId, expiresAt, addressDigest: digestOf(owner.email) });
  const fields = { organizationName, fullName: ownerName, periodStart, periodEnd, link, expiresOn };
  const person = { type: "owner", id: owner.id, address: owner.email };
  const message = { id, channel: "email", to: owner.email, person, template: "owner-statement", fields };
  const { deliveries } = await clients.communications.sendMessages(db, { messages: [message], queueOnly: true });
  if (deliveries.some(({ status }) => handedOver.includes(status))) await recordSending(db, entityId);
}

const recordSending = (db: OrgDb, id: string): Promise<void> =>
  transaction(db, async (tx) => {
    const statement = await tx.getForUpdate(OwnerStatement, id, "Owner statement");
    if (!statement.sentAt) tx.assign(statement, { sentAt: now() });
  });

/** Returns the statement of a mailed link. Throws 404 for an invalid or expired token, and when the owner was deleted or has another address than the one of the link. */
export async function followStatementLink(database: Database, clients: Clients, links: StatementLinks, token: string): Promise<View> {
  const linked = links.verify(token, now());
  if (!linked) throw notFound("Owner statement");
  const db = new OrgDb(database, systemPrincipal(linked.organizationId));
  const statement = await getOwnerStatement(db, linked.statementId);
  const { isDeleted, email } = await requireOwner(db, clients, statement.ownerId);
  if (isDeleted || digestOf(email) !== linked.addressDigest) throw notFound("Owner statement");
  return statement;
}
