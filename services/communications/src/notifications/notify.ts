/** Turns what happened into notifications for those it concerns. */
import type { Envelope } from "@freehold/contract/events";
import { roles as everyRole, type Role } from "@freehold/contract/roles";
import { now } from "@freehold/kit/time/clock";
import type { Once } from "@freehold/kit/events/subscriptions";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { eventPublisher } from "@freehold/kit/db/outbox";
import type { User, Users } from "@freehold/proto/identity/v1/identity";
import type { Clients } from "../clients.ts";
import { singleFlight } from "./single-flight.ts";
import type { NotificationContent } from "./notification-content.rules.ts";
import { Notification, NotificationDelivery } from "./notification.entity.ts";

const announce = eventPublisher("communications");
const ask = singleFlight<Users>();
const office = ["admin", "manager", "staff"];

export interface NotifyOptions {
  /** Tenants, owners or vendors whose users hear of it besides the office. */
  subjectIds?: string[];
  /** Users who hear of it besides. */
  userIds?: string[];
  /** The roles that hear of it; the office unless it says otherwise. */
  roles?: string[];
  /** Who did it: they know already. The event's actor unless it says otherwise. */
  actorUserId?: string | null;
  notice: (recipient: Role) => NotificationContent;
}

/** Tells everybody concerned but the actor, each once, and each of them alone. Who that is, is asked before anything is written. */
export async function notifyUsers(db: OrgDb, { identity }: Clients, event: Omit<Envelope, "data">, once: Once, concern: NotifyOptions): Promise<void> {
  const actorUserId = concern.actorUserId ?? event.actorUserId;
  const { subjectIds = [], userIds = [], roles = office } = concern;
  const named = actorUserId === null ? userIds : [...userIds, actorUserId];
  const [concerned, known] = await Promise.all([
    ask(`${db.organizationId} ${roles.join()} ${subjectIds.join()}`, () => identity.listRecipients(db, { roles, subjectIds })),
    named.length === 0 ? { users: [] } : ask(`${db.organizationId} users ${named.join()}`, () => identity.getUsers(db, { ids: named })),
  ]);
  const all = [...concerned.users, ...known.users.filter(({ id }) => userIds.includes(id))];
  const recipients = [...new Map(all.map((user) => [user.id, user])).values()].filter(({ id }) => id !== actorUserId);
  if (recipients.length === 0) return;
  const actorName = known.users.find(({ id }) => id === actorUserId)?.fullName ?? null;
  const about = { type: event.type, entityType: event.entityType, entityId: event.entityId, actorUserId, actorName };
  await once(async (tx) => {
    const created = recipients.map(({ id, role }) =>
      tx.create(Notification, { ...about, ...concern.notice(asRole(role)), userId: id, channel: "in_app", readAt: null }),
    );
    await tx.flush();
    for (const { id } of created)
      tx.create(NotificationDelivery, { notificationId: id, channel: "in_app", deliveryMode: "immediate", sentAt: now(), deliveredAt: now() });
    for (const { id, type, userId } of created)
      await announce(tx, "notification.created", { entityId: id, data: { type }, audience: { roles: [], userIds: [userId] } });
  });
}

const asRole = (role: User["role"]): Role => everyRole.find((known) => known === role) ?? "staff";
