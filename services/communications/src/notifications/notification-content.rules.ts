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
  "payment.reversed": { one: "A tenant's payment was reversed.", many: (count) => `${count} payments reversed` },
  "work_order.created": { one: "A tenant sent a maintenance request.", many: (count) => `${count} maintenance requests received` },
  "conversation.message_received": { one: "A tenant or vendor sent a message.", many: (count) => `${count} messages received` },
  "lease.expired": { one: "A lease has expired.", many: (count) => `${count} leases expired` },
  "expense.created": { one: "An expense awaits approval.", many: (count) => `${count} expenses await approval` },
  "expense_payment.failed": {
    one: "A payment of expenses failed. Its expenses are owed again.",
    many: (count) => `${count} payments of expenses failed`,
  },
  "owner_payable.drafted": { one: "A payout to an owner awaits approval.", many: (count) => `${count} payouts await approval` },
};

/** Returns the texts of a notification that counts events. */
export function collectedContent(type: string, count: number): NotificationContent {
  const known = notificationTypeNames.find((name) => name === type);
  const [texts, definition] = [known && collectedTexts[known], known && notificationTypeOf(known)];
  if (!texts || !definition) return { title: type, body: `Events: ${count}.`, priority: "normal" };
  const title = count === 1 ? definition.title : texts.many(count);
  return { title, body: count === 1 ? texts.one : `${title}.`, priority: definition.priority };
}

/** Returns the texts of a notification of one event, with the title and priority of the catalogue. */
export function singleContent(type: NotificationType, body: string): NotificationContent {
  const { title, priority } = notificationTypeOf(type);
  return { title, body, priority };
}
