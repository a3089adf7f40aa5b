/** Texts of notifications. They contain no amounts and no names, because they may be shown on a locked screen. */
import type { Role } from "@freehold/contract/roles";
import type { Priority } from "./notification.entity.ts";

/** Texts and priority of a notification, which may depend on the role of the recipient. */
export interface NotificationContent {
  title: string;
  body: string;
  priority: Priority;
}

const inviteAcceptedBodies = {
  user: "A colleague accepted the invite and joined the organization.",
  tenant: "A tenant accepted the invite to the portal.",
  owner: "An owner accepted the invite to the portal.",
  vendor: "A vendor accepted the invite to the portal.",
};

export const paymentReceivedContent = (recipient: Role): NotificationContent => ({
  title: "Payment received",
  body: recipient === "tenant" ? "Your payment was recorded." : "A tenant's payment was recorded.",
  priority: "normal",
});

export const chargeOverdueContent = (dueDate: string): NotificationContent => ({
  title: "Charge overdue",
  body: `A charge that was due on ${dueDate} has not been paid.`,
  priority: "high",
});

export const inviteAcceptedContent = (kind: keyof typeof inviteAcceptedBodies): NotificationContent => ({
  title: "Invite accepted",
  body: inviteAcceptedBodies[kind],
  priority: "normal",
});

export const workOrderAssignedContent = (): NotificationContent => ({
  title: "Work order assigned",
  body: "A work order was assigned to you.",
  priority: "normal",
});
