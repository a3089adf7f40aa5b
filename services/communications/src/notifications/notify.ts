/** Creation of notifications from events. */
import type { Envelope } from "@freehold/contract/events";
import { roles as allRoles, type Role } from "@freehold/contract/roles";
import { now } from "@freehold/kit/time/clock";
import type { Once } from "@freehold/kit/events/subscriptions";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { eventPublisher } from "@freehold/kit/db/outbox";
import type { User, Users } from "@freehold/proto/identity/v1/identity";
import type { Clients } from "../clients.ts";
import { singleFlight } from "./single-flight.ts";
import type { NotificationContent } from "./notification-content.rules.ts";
import { Notification, NotificationDelivery } from "./notification.entity.ts";

const publish = eventPublisher("communications");
// Events arrive in bursts with the same recipients.
const loadUsers = singleFlight<Users>();
const OFFICE_ROLES = ["admin", "manager", "staff"];

/** Recipients and content of the notifications of an event. */
export interface NotifyOptions {
  /** Roles to notify. By default the office. */
  roles?: string[];
  /** Tenants, owners or vendors whose portal users are also notified. */
  subjectIds?: string[];
  /** Users who are also notified. */
  userIds?: string[];
  /** User who caused the event and is not notified. By default the actor of the event. */
  actorUserId?: string | null;
  content: (recipient: Role) => NotificationContent;
}

/** Creates one notification for each recipient except the actor, and publishes each to its recipient only. Recipients are loaded before the transaction. */
export async function notifyUsers(
  db: OrgDb,
  { identity }: Clients,
  event: Omit<Envelope, "data">,
  once: Once,
  { content, ...options }: NotifyOptions,
): Promise<void> {
  const actorUserId = options.actorUserId ?? event.actorUserId;
  const { roles = OFFICE_ROLES, subjectIds = [], userIds = [] } = options;
  const namedUserIds = actorUserId === null ? userIds : [...userIds, actorUserId];
  const [recipientsByRole, namedUsers] = await Promise.all([
    loadUsers(`${db.organizationId} ${roles.join()} ${subjectIds.join()}`, () => identity.listRecipients(db, { roles, subjectIds })),
    namedUserIds.length === 0
      ? { users: [] }
      : loadUsers(`${db.organizationId} users ${namedUserIds.join()}`, () => identity.getUsers(db, { ids: namedUserIds })),
  ]);
  const candidates = [...recipientsByRole.users, ...namedUsers.users.filter(({ id }) => userIds.includes(id))];
  const recipients = [...new Map(candidates.map((user) => [user.id, user])).values()].filter(({ id }) => id !== actorUserId);
  if (recipients.length === 0) return;
  const actorName = namedUsers.users.find(({ id }) => id === actorUserId)?.fullName ?? null;
  const eventFields = { type: event.type, entityType: event.entityType, entityId: event.entityId, actorUserId, actorName };
  await once(async (tx) => {
    const created = recipients.map(({ id, role }) =>
      tx.create(Notification, { ...eventFields, ...content(roleOf(role)), userId: id, channel: "in_app", readAt: null }),
    );
    await tx.flush();
    for (const { id } of created)
      tx.create(NotificationDelivery, { notificationId: id, channel: "in_app", deliveryMode: "immediate", sentAt: now(), deliveredAt: now() });
    for (const { id, type, userId } of created)
      await publish(tx, "notification.created", { entityId: id, data: { type }, audience: { roles: [], userIds: [userId] } });
  });
}

const roleOf = (role: User["role"]): Role => allRoles.find((known) => known === role) ?? "staff";
