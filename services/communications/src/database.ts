/** Database definition of communications: entities, migrations and redacted columns. */
import type { DatabaseDefinition } from "@freehold/kit/db/database";
import { Messages } from "../migrations/202611211200-messages.ts";
import { Notifications } from "../migrations/202611211210-notifications.ts";
import { Message } from "./messages/message.entity.ts";
import { OutboxMessage } from "./messages/outbox-message.entity.ts";
import { Notification, NotificationDelivery } from "./notifications/notification.entity.ts";

export const database: DatabaseDefinition = {
  service: "communications",
  entities: [Message, OutboxMessage, Notification, NotificationDelivery],
  migrations: { "202611211200-messages": Messages, "202611211210-notifications": Notifications },
  constraints: {},
  // The content of a queued message may hold a link that grants access.
  secrets: { message: ["text", "html"] },
};
