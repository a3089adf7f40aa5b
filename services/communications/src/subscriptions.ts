/** Event handlers of communications: notifications about payments, charges, work orders and invites, and participants of conversations. */
import type { Subscriptions } from "@freehold/kit/events/subscriptions";
import type { Clients } from "./clients.ts";
import { followParticipant } from "./conversations/participants.ts";
import { chargeOverdueContent, inviteAcceptedContent, paymentReceivedContent, workOrderAssignedContent } from "./notifications/notification-content.rules.ts";
import { notifyUsers } from "./notifications/notify.ts";

export const subscriptions = (clients: Clients): Subscriptions => ({
  "payment.received": (db, event, once) => notifyUsers(db, clients, event, once, { subjectIds: [event.data.tenantId], content: paymentReceivedContent }),
  "charge.overdue": (db, event, once) => notifyUsers(db, clients, event, once, { content: () => chargeOverdueContent(event.data.dueDate) }),
  "work_order.assigned": (db, event, once) => {
    const { vendorId, assignedUserId, notifies } = event.data;
    const subjectIds = vendorId && notifies.includes("vendor") ? [vendorId] : [];
    const userIds = assignedUserId && notifies.includes("user") ? [assignedUserId] : [];
    return notifyUsers(db, clients, event, once, { roles: [], subjectIds, userIds, content: workOrderAssignedContent });
  },
  "tenant.updated": (db, event, once) => followParticipant(db, clients, event, once, "tenant"),
  "tenant.deleted": (db, event, once) => followParticipant(db, clients, event, once, "tenant"),
  "tenant.merged": (db, event, once) => followParticipant(db, clients, event, once, "tenant"),
  "vendor.updated": (db, event, once) => followParticipant(db, clients, event, once, "vendor"),
  "vendor.deleted": (db, event, once) => followParticipant(db, clients, event, once, "vendor"),
  // An invite is accepted without a session, so the actor is the new user.
  "invite.accepted": (db, event, once) =>
    notifyUsers(db, clients, event, once, { actorUserId: event.data.userId, content: () => inviteAcceptedContent(event.data.kind) }),
});
