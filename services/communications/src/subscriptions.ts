/** What communications does about the events of others. */
import type { Subscriptions } from "@freehold/kit/events/subscriptions";
import type { Clients } from "./clients.ts";
import { chargeOverdue, inviteAccepted, paymentReceived, workOrderAssigned } from "./notifications/notification-content.rules.ts";
import { notifyUsers } from "./notifications/notify.ts";

export const subscriptions = (clients: Clients): Subscriptions => ({
  "payment.received": (db, event, once) => notifyUsers(db, clients, event, once, { subjectIds: [event.data.tenantId], notice: paymentReceived }),
  "charge.overdue": (db, event, once) => notifyUsers(db, clients, event, once, { notice: () => chargeOverdue(event.data.dueDate) }),
  "work_order.assigned": (db, event, once) => {
    const { vendorId, assignedUserId, notifies } = event.data;
    const subjectIds = vendorId && notifies.includes("vendor") ? [vendorId] : [];
    const userIds = assignedUserId && notifies.includes("user") ? [assignedUserId] : [];
    return notifyUsers(db, clients, event, once, { roles: [], subjectIds, userIds, notice: workOrderAssigned });
  },
  // Whoever accepts an invite has no session yet: the actor is the user that came to be.
  "invite.accepted": (db, event, once) =>
    notifyUsers(db, clients, event, once, { actorUserId: event.data.userId, notice: () => inviteAccepted(event.data.kind) }),
});
