/** Catalogue of the types of notifications: their recipients, priority and default channels. `docs/notifications.md` is printed from it. */
import { adminsAndManagers, allRoles, officeRoles, type Role } from "../roles.ts";

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
  "payment.reversed": {
    title: "Payment reversed",
    description: "A payment was reversed: the office, and the tenant who had paid.",
    priority: "high",
    roles: [...officeRoles, "tenant"],
    channels: ["in_app"],
    canBeTurnedOff: true,
  },
  "work_order.created": {
    title: "Maintenance request received",
    description: "A tenant sent a maintenance request: the office.",
    priority: "normal",
    roles: officeRoles,
    channels: ["in_app"],
    canBeTurnedOff: true,
  },
  "work_order.transitioned": {
    title: "Maintenance request updated",
    description: "A work order was started, completed or cancelled: the tenants who see it.",
    priority: "normal",
    roles: ["tenant"],
    channels: ["in_app"],
    canBeTurnedOff: true,
  },
  "conversation.message_received": {
    title: "Message received",
    description: "A message was sent in a conversation: the tenant or vendor if the office wrote it, otherwise the office.",
    priority: "normal",
    roles: [...officeRoles, "tenant", "vendor"],
    channels: ["in_app"],
    canBeTurnedOff: true,
  },
  "lease.expired": {
    title: "Lease expired",
    description: "A lease expired on its last day: the office.",
    priority: "normal",
    roles: officeRoles,
    channels: ["in_app"],
    canBeTurnedOff: true,
  },
  "expense.created": {
    title: "Expense awaits approval",
    description: "An expense was recorded that awaits approval: admins and managers.",
    priority: "normal",
    roles: adminsAndManagers,
    channels: ["in_app"],
    canBeTurnedOff: true,
  },
  "expense_payment.failed": {
    title: "Payment of expenses failed",
    description: "A payment of expenses failed, and its expenses are owed again: admins and managers.",
    priority: "high",
    roles: adminsAndManagers,
    channels: ["in_app"],
    canBeTurnedOff: true,
  },
  "owner_payable.drafted": {
    title: "Payout awaits approval",
    description: "A payout to an owner was drafted: admins and managers.",
    priority: "normal",
    roles: adminsAndManagers,
    channels: ["in_app"],
    canBeTurnedOff: true,
  },
  "owner_payable.paid": {
    title: "Payout paid",
    description: "A payout was paid: its owner.",
    priority: "normal",
    roles: ["owner"],
    channels: ["in_app", "email"],
    canBeTurnedOff: true,
  },
  "owner_statement.issued": {
    title: "Statement available",
    description: "A statement of an owner was issued in the portal, or issued again: its owner.",
    priority: "normal",
    roles: ["owner"],
    channels: ["in_app"],
    canBeTurnedOff: true,
  },
  "trust.diagnostic_raised": {
    title: "Trust accounts need attention",
    description: "A daily check of the trust accounts has critical findings, such as a disposition that is overdue: admins and managers.",
    priority: "urgent",
    roles: adminsAndManagers,
    channels: ["in_app", "email"],
    canBeTurnedOff: false,
  },
  "import_bundle.status_changed": {
    title: "Import ended",
    description: "An import bundle was written or has failed: admins and managers.",
    priority: "normal",
    roles: adminsAndManagers,
    channels: ["in_app"],
    canBeTurnedOff: true,
  },
  "bulk_import.status_changed": {
    title: "Import ended",
    description: "A bulk import was written or has failed: admins and managers.",
    priority: "normal",
    roles: adminsAndManagers,
    channels: ["in_app"],
    canBeTurnedOff: true,
  },
  "email_account.failed": {
    title: "E-mail account failed",
    description: "The DNS records of a verified e-mail account are gone: admins and managers.",
    priority: "high",
    roles: adminsAndManagers,
    channels: ["in_app", "email"],
    canBeTurnedOff: true,
  },
  "blast.failed": {
    title: "Blast failed",
    description: "No message of a blast could be sent: admins and managers.",
    priority: "high",
    roles: adminsAndManagers,
    channels: ["in_app"],
    canBeTurnedOff: true,
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
