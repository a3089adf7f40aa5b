/** Creation of notifications from events. */
import type { NotificationType } from "@freehold/contract/communications/notification-types";
import type { Envelope } from "@freehold/contract/events";
import type { Role } from "@freehold/contract/roles";
import type { Once } from "@freehold/kit/events/subscriptions";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { User, Users } from "@freehold/proto/identity/v1/identity";
import type { Clients } from "../clients.ts";
import { singleFlight } from "./single-flight.ts";
import { singleContent } from "./notification-content.rules.ts";
import { collectEvent } from "./collection/collect-events.ts";
import { insertNotifications } from "./insert-notifications.ts";
import { preferenceFor } from "./preferences/preference.rules.ts";
import { loadSettings } from "./preferences/settings.queries.ts";

// Events arrive in bursts with the same recipients.
const loadUsers = singleFlight<Users>();

/** Recipients and content of the notifications of an event. */
export interface NotifyOptions {
  /** Roles whose users are notified of the single event. By default none. */
  roles?: readonly Role[];
  /** Tenants, owners or vendors whose portal users are notified. */
  subjectIds?: string[];
  /** Users who are also notified. */
  userIds?: string[];
  /** Text of the notification. */
  body: string;
  /** Addresses that have got the message itself on a channel, and get no notification of it there. */
  reached?: { channel: "email" | "sms"; addresses: readonly string[] } | undefined;
  /** Minutes of the window in which the event is also counted for the office. Unset for an event that concerns individuals only. */
  collectMinutes?: number;
}

/**
 * Creates one notification for each recipient except the actor and those who have turned the type off, and publishes each to its recipient only.
 * Recipients are loaded before the transaction.
 */
export async function notifyUsers(
  db: OrgDb,
  { identity }: Clients,
  event: Omit<Envelope, "data" | "type"> & { type: NotificationType },
  once: Once,
  { roles = [], subjectIds = [], userIds = [], body, reached, collectMinutes }: NotifyOptions,
): Promise<void> {
  const { type, entityType, entityId, actorUserId } = event;
  const key = `${db.organizationId} ${roles.join()} ${subjectIds.join()} ${userIds.join()}`;
  const { users } = await loadUsers(key, () => identity.listRecipients(db, { roles: [...roles], subjectIds, userIds }));
  const recipients = users.filter(({ id }) => id !== actorUserId);
  if (recipients.length === 0 && collectMinutes === undefined) return;
  const actor =
    recipients.length === 0 || actorUserId === null
      ? null
      : await loadUsers(`${db.organizationId} user ${actorUserId}`, () => identity.getUsers(db, { ids: [actorUserId] }));
  const actorName = actor?.users[0]?.fullName ?? null;
  await once(async (tx) => {
    if (collectMinutes !== undefined) await collectEvent(tx, event, collectMinutes);
    const settings = await loadSettings(
      tx,
      recipients.map(({ id }) => id),
    );
    const notifications = recipients.map((user) => {
      const preference = preferenceFor(settings.get(user.id)?.preferences, type);
      const channels = preference.channels.filter((channel) => channel !== reached?.channel || !hasAddress(user, reached));
      return { type, entityType, entityId, actorUserId, actorName, ...singleContent(type, body), ...preference, channels, userId: user.id };
    });
    await insertNotifications(
      tx,
      notifications.filter(({ channels }) => channels.length > 0),
    );
  });
}

/** Tells whether a user gets notifications on a channel at one of the addresses. Without an own phone number, that of the person is used. */
const hasAddress = ({ email, phone }: User, { channel, addresses }: NonNullable<NotifyOptions["reached"]>): boolean =>
  channel === "email" ? addresses.includes(email.toLowerCase()) : phone === undefined || addresses.includes(phone);
