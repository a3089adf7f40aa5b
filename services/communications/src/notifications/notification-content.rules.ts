/** Texts of notifications. They contain no amounts and no names, because they may be shown on a locked screen. */
import {
  notificationTypeNames,
  notificationTypeOf,
  type NotificationPriority,
  type NotificationType,
} from "@freehold/contract/communications/notification-types";

/** Texts and priority of a notification. */
export interface NotificationContent {
  title: string;
  body: string;
  priority: NotificationPriority;
}

/** Texts of a type by the number of events: title and body for one, and the title for several. */
const collectedTexts: Partial<Record<NotificationType, { one: string; many: (count: number) => string }>> = {
  "payment.received": { one: "A tenant's payment was recorded.", many: (count) => `${count} payments received` },
  "charge.overdue": { one: "A charge has not been paid by its due date.", many: (count) => `${count} charges overdue` },
  "invite.accepted": { one: "An invite was accepted.", many: (count) => `${count} invites accepted` },
};

/** Returns the texts of a notification that counts events. */
export function collectedContent(type: string, count: number): NotificationContent {
  const known = notificationTypeNames.find((name) => name === type);
  const [texts, definition] = [known && collectedTexts[known], known && notificationTypeOf(known)];
  if (!texts || !definition) return { title: type, body: `Events: ${count}.`, priority: "normal" };
  const title = count === 1 ? definition.title : texts.many(count);
  return { title, body: count === 1 ? texts.one : `${title}.`, priority: definition.priority };
}

export const ownPaymentContent = (): NotificationContent => ({ title: "Payment received", body: "Your payment was recorded.", priority: "normal" });

export const workOrderAssignedContent = (): NotificationContent => ({
  title: "Work order assigned",
  body: "A work order was assigned to you.",
  priority: "normal",
});
