/** Event handlers that notify users. The catalogue of notifications in the contract says who is notified of what. */
import { notificationTypeOf, type NotificationType } from "@freehold/contract/communications/notification-types";
import type { EventHandler, EventOf, Once, Subscriptions } from "@freehold/kit/events/subscriptions";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { Clients } from "../clients.ts";
import { findAddressees } from "../conversations/correspondence.queries.ts";
import { collectEvent } from "./collection/collect-events.ts";
import { notifyUsers } from "./notify.ts";

const endedImports: Readonly<Record<string, string>> = {
  completed: "An import was completed.",
  completed_with_errors: "An import was completed, but some rows were not written.",
  failed: "An import failed.",
};

const transitions = { open: "reopened", in_progress: "started", completed: "completed", cancelled: "cancelled" } as const;

/** Returns handlers that skip events of imported records of the past: people are not notified of history. */
const withoutHistory = <H extends Record<string, unknown>>(handlers: H): H =>
  Object.fromEntries(
    Object.entries(handlers).map(([type, handler]): [string, EventHandler] => [
      type,
      async (db, event, once) => {
        if (!event.isHistory) await (handler as EventHandler)(db, event, once);
      },
    ]),
  ) as H;

/** Creates the event handlers. Events for the whole office are counted in windows of the given minutes; individuals are notified of each. */
export function eventNotifications(clients: Clients, windowMinutes: number) {
  /** Counts an event for the office. */
  const collect = (_db: OrgDb, event: EventOf<NotificationType>, once: Once) => once((tx) => collectEvent(tx, event, windowMinutes));
  /** Notifies the roles of a type of an event that occurs rarely. */
  const notifyRoles = (db: OrgDb, event: EventOf<NotificationType>, once: Once, body: string) =>
    notifyUsers(db, clients, event, once, { roles: notificationTypeOf(event.type).roles, body });

  return withoutHistory({
    "payment.received": (db, event, once) =>
      notifyUsers(db, clients, event, once, { subjectIds: [event.data.tenantId], body: "Your payment was recorded.", collectMinutes: windowMinutes }),
    "payment.reversed": (db, event, once) =>
      notifyUsers(db, clients, event, once, { subjectIds: [event.data.tenantId], body: "Your payment was reversed.", collectMinutes: windowMinutes }),
    "charge.overdue": collect,
    "lease.expired": collect,
    "expense_payment.failed": collect,
    "expense.created": async (db, event, once) => {
      // An event of an earlier version says nothing about an approval.
      if (event.data.approvalStatus === "pending") await collect(db, event, once);
    },
    "owner_payable.drafted": collect,
    "owner_payable.paid": (db, event, once) => notifyUsers(db, clients, event, once, { subjectIds: [event.data.ownerId], body: "A payout was paid to you." }),
    "owner_statement.issued": async (db, event, once) => {
      const { ownerId, delivery } = event.data;
      if (delivery === "portal") await notifyUsers(db, clients, event, once, { subjectIds: [ownerId], body: "A statement of your account is available." });
    },
    // An invite is accepted without a session, so the actor is the new user.
    "invite.accepted": (db, event, once) => collect(db, { ...event, actorUserId: event.data.userId }, once),
    "work_order.created": async (db, event, once) => {
      if (event.actorUserId === null) return;
      const { users } = await clients.identity.listRecipients(db, { roles: [], subjectIds: [], userIds: [event.actorUserId] });
      if (users.some(({ role }) => role === "tenant")) await collect(db, event, once);
    },
    "work_order.transitioned": (db, event, once) =>
      notifyUsers(db, clients, event, once, { subjectIds: event.audience.tenantIds, body: `A maintenance request was ${transitions[event.data.status]}.` }),
    "work_order.assigned": (db, event, once) => {
      const { vendorId, assignedUserId, notifies } = event.data;
      const subjectIds = vendorId && notifies.includes("vendor") ? [vendorId] : [];
      const userIds = assignedUserId && notifies.includes("user") ? [assignedUserId] : [];
      return notifyUsers(db, clients, event, once, { subjectIds, userIds, body: "A work order was assigned to you." });
    },
    "conversation.message_received": async (db, event, once) => {
      const { senderType, channel, messageId } = event.data;
      if (senderType !== "staff") return collect(db, event, once);
      const { tenantIds, vendorIds } = event.audience;
      const reached = channel === "in_app" ? undefined : { channel, addresses: await findAddressees(db, messageId) };
      await notifyUsers(db, clients, event, once, { subjectIds: [...tenantIds, ...vendorIds], body: "The office sent you a message.", reached });
    },
    "trust.diagnostic_raised": async (db, event, once) => {
      const { severity, count } = event.data;
      if (severity === "critical")
        await notifyRoles(db, event, once, `A check of the trust accounts has ${count} critical ${count === 1 ? "finding" : "findings"}. See the diagnostics.`);
    },
    "import_bundle.status_changed": async (db, event, once) => {
      const body = endedImports[event.data.status];
      if (body !== undefined) await notifyRoles(db, event, once, body);
    },
    "bulk_import.status_changed": async (db, event, once) => {
      const body = endedImports[event.data.status];
      if (body !== undefined) await notifyRoles(db, event, once, body);
    },
    "email_account.failed": (db, event, once) =>
      notifyRoles(db, event, once, "The DNS records of an e-mail account are gone. E-mails are sent from the address of the system until they are set again."),
    "blast.failed": (db, event, once) => notifyRoles(db, event, once, "No message of a blast could be sent. See its recipients for the reasons."),
  } satisfies Subscriptions & Record<NotificationType, unknown>);
}
