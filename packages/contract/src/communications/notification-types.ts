/** Catalogue of the types of notifications: their recipients, priority and default channels. `docs/notifications.md` is printed from it. */
import { allRoles, officeRoles, type Role } from "../roles.ts";

export const notificationChannels = ["in_app", "email", "sms", "push"] as const;
export const notificationPriorities = ["low", "normal", "high", "urgent"] as const;
export const deliveryModes = ["immediate", "daily_digest"] as const;

export type NotificationChannel = (typeof notificationChannels)[number];
export type NotificationPriority = (typeof notificationPriorities)[number];
export type DeliveryMode = (typeof deliveryModes)[number];

/** Properties of a type of notifications. */
export interface NotificationTypeDefinition {
  title: string;
  /** Sentence on when and to whom the notification is sent. */
  description: string;
  priority: NotificationPriority;
  /** Roles whose users get the notification. */
  roles: readonly Role[];
  /** Channels of users who have set none. */
  channels: readonly NotificationChannel[];
  /** False if the notification is always shown in the application. Its other channels can be turned off. */
  canBeTurnedOff: boolean;
}

const define = <const T extends Record<string, NotificationTypeDefinition>>(types: T) => types;

export const notificationTypes = define({
  "payment.received": {
    title: "Payment received",
    description: "A payment was recorded: the office, and the tenant who paid.",
    priority: "normal",
    roles: [...officeRoles, "tenant"],
    channels: ["in_app"],
    canBeTurnedOff: true,
  },
  "charge.overdue": {
    title: "Charge overdue",
    description: "The due date of a charge passed without full payment: the office.",
    priority: "high",
    roles: officeRoles,
    channels: ["in_app"],
    canBeTurnedOff: true,
  },
  "invite.accepted": {
    title: "Invite accepted",
    description: "An invited user, tenant, owner or vendor joined: the office.",
    priority: "normal",
    roles: officeRoles,
    channels: ["in_app"],
    canBeTurnedOff: true,
  },
  "work_order.assigned": {
    title: "Work order assigned",
    description: "A work order was assigned: the user or vendor who is to do it. A vendor also gets the e-mail of the assignment.",
    priority: "normal",
    roles: [...officeRoles, "vendor"],
    channels: ["in_app"],
    canBeTurnedOff: false,
  },
});

export type NotificationType = keyof typeof notificationTypes;

export const notificationTypeNames = Object.keys(notificationTypes) as [NotificationType, ...NotificationType[]];

/** Returns the definition of a type. */
export const notificationTypeOf = (type: NotificationType): NotificationTypeDefinition => notificationTypes[type];

/** Returns the types that users of a role get. */
export const notificationTypesOf = (role: Role): NotificationType[] => notificationTypeNames.filter((type) => notificationTypeOf(type).roles.includes(role));

/** Returns the roles in the order of the contract, for documents. */
export const recipientRolesOf = (type: NotificationType): Role[] => allRoles.filter((role) => notificationTypeOf(type).roles.includes(role));
