/** Notifications of the caller. Those of other users are treated as nonexistent. */
import { notifications, type Notification } from "@freehold/contract/communications/notifications";
import type { Output, QueryOf } from "@freehold/contract/operation";
import { now } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import { withOfficeReach } from "@freehold/kit/db/portal-reach";
import { notFound } from "@freehold/kit/errors";
import { listConditions, listPage, onDays } from "@freehold/kit/db/list";
import { sql } from "@freehold/kit/db/statement";
import { Notification as NotificationRecord } from "./notification.entity.ts";
import { notificationColumns, notificationView, type NotificationRow } from "./notification.view.ts";

type Operations = typeof notifications.operations;
/** Query of a list; that of the portal has no deleted ones. */
type Query = Omit<QueryOf<Operations["listNotifications"]>, "includeDeleted"> & { includeDeleted?: boolean | undefined };

/** Restricts notifications to those of the caller, also those that are not listed in the application. */
const isOwn = (db: StatementRunner) => sql`notification.organization_id = ${db.organizationId} and notification.user_id = ${db.principal.userId}`;

/** Restricts notifications to those that are listed in the application. */
const isListed = sql`'in_app' = any(notification.channels)`;

/** Returns a page of the caller's notifications in the application and the number of all unread ones. Dates are days in the organization's time zone. */
export async function listNotifications(db: OrgDb, query: Query): Promise<Output<Operations["listNotifications"]>> {
  const { unreadOnly, type, priority, createdAfter, createdBefore } = query;
  const [{ rows, paging }, unreadRow] = await Promise.all([
    listPage<NotificationRow>(db, query, {
      select: notificationColumns,
      from: sql`notification`,
      where: [
        ...listConditions(db, "notification", query, false),
        isOwn(db),
        isListed,
        unreadOnly && sql`notification.read_at is null`,
        type !== undefined && sql`notification.type = any(${type})`,
        priority !== undefined && sql`notification.priority = any(${priority})`,
        ...onDays(sql`notification.created_at`, createdAfter, createdBefore, db.principal.timezone),
      ],
      sorts: { createdAt: sql`notification.created_at` },
      table: "notification",
    }),
    db.first(sql<{ count: number }>`select count(*) as count from notification where ${isOwn(db)} and ${isListed} and read_at is null`),
  ]);
  return { notifications: rows.map(notificationView), ...paging, unreadCount: unreadRow?.count ?? 0 };
}

/** Returns a notification of the caller, or throws 404. */
async function getOwn(db: StatementRunner, id: string): Promise<Notification> {
  const row = await db.first(sql<NotificationRow>`select ${notificationColumns} from notification where ${isOwn(db)} and notification.id = ${id}`);
  if (!row) throw notFound("Notification");
  return notificationView(row);
}

/** Returns a notification of the caller with its deliveries. The status of a delivery with a message is that of the message. */
export async function getNotification(db: OrgDb, id: string): Promise<Output<Operations["getNotification"]>> {
  const notification = await getOwn(db, id);
  // Portal users do not reach messages, of which they see the status and times of those to themselves.
  const deliveries = await withOfficeReach(db).all(sql<Output<Operations["getNotification"]>["deliveries"][number]>`
    select d.id, d.channel, d.delivery_mode, coalesce(m.status, d.status) as status, case when m.status = 'skipped' then m.error else d.skip_reason end as skip_reason,
      d.due_at as scheduled_for, d.created_at, coalesce(m.sent_at, d.sent_at) as sent_at, coalesce(m.delivered_at, d.delivered_at) as delivered_at
    from notification_delivery d left join message m on m.organization_id = d.organization_id and m.id = d.message_id
    where d.organization_id = ${db.organizationId} and d.notification_id = ${id} order by d.created_at, d.id`);
  return { notification, deliveries };
}

/** Marks a notification of the caller as read. A repeated call keeps the first `readAt`. */
export const markNotificationRead = (db: OrgDb, id: string): Promise<Notification> =>
  transaction(db, async (tx) => {
    const { userId } = tx.principal;
    if (userId === null) throw notFound("Notification");
    const notification = await tx.getForUpdate(NotificationRecord, id, "Notification", { userId });
    notification.readAt ??= now();
    return getOwn(tx, id);
  });

/** Marks all unread notifications of the caller in the application as read and returns their number. */
export const markAllNotificationsRead = (db: OrgDb): Promise<Output<Operations["markAllNotificationsRead"]>> =>
  transaction(db, async (tx) => {
    const read = await tx.all(sql`update notification set read_at = now(), updated_at = now(), version = version + 1
      where ${isOwn(tx)} and ${isListed} and read_at is null returning id`);
    return { updated: read.length };
  });
