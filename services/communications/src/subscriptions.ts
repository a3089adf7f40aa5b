/** Event handlers of communications: notifications about payments, charges, work orders and invites, and participants of conversations. */
import type { Subscriptions } from "@freehold/kit/events/subscriptions";
import type { Clients } from "./clients.ts";
import { followParticipant } from "./conversations/participants.ts";
import { collectEvent } from "./notifications/collection/collect-events.ts";
import { ownPaymentContent, workOrderAssignedContent } from "./notifications/notification-content.rules.ts";
import { notifyUsers } from "./notifications/notify.ts";

/** Creates the event handlers. Events for the whole office are counted in windows of the given minutes; individuals are notified of each. */
export const subscriptions = (clients: Clients, windowMinutes: number): Subscriptions => ({
  "payment.received": (db, event, once) =>
    notifyUsers(db, clients, event, once, { subjectIds: [event.data.tenantId], content: ownPaymentContent, collectMinutes: windowMinutes }),
  "charge.overdue": (_db, event, once) => once((tx) => collectEvent(tx, event, windowMinutes)),
  "work_order.assigned": (db, event, once) => {
    const { vendorId, assignedUserId, notifies } = event.data;
    const subjectIds = vendorId && notifies.includes("vendor") ? [vendorId] : [];
    const userIds = assignedUserId && notifies.includes("user") ? [assignedUserId] : [];
    return notifyUsers(db, clients, event, once, { subjectIds, userIds, content: workOrderAssignedContent });
  },
  "tenant.updated": (db, event, once) => followParticipant(db, clients, event, once, "tenant"),
  "tenant.deleted": (db, event, once) => followParticipant(db, clients, event, once, "tenant"),
  "tenant.merged": (db, event, once) => followParticipant(db, clients, event, once, "tenant"),
  "vendor.updated": (db, event, once) => followParticipant(db, clients, event, once, "vendor"),
  "vendor.deleted": (db, event, once) => followParticipant(db, clients, event, once, "vendor"),
  // An invite is accepted without a session, so the actor is the new user.
  "invite.accepted": (_db, event, once) => once((tx) => collectEvent(tx, { ...event, actorUserId: event.data.userId }, windowMinutes)),
});
