/** Database definition of communications: entities, migrations and redacted columns. */
import type { DatabaseDefinition } from "@freehold/kit/db/database";
import { Blast, BlastRecipient } from "./blasts/blast.entity.ts";
import { Conversation, ConversationMessage, ConversationReadMarker } from "./conversations/conversation.entity.ts";
import { Message } from "./messages/message.entity.ts";
import { OutboxMessage } from "./messages/outbox-message.entity.ts";
import { Notification, NotificationDelivery } from "./notifications/notification.entity.ts";
import { WebhookEvent } from "./webhooks/webhook-event.entity.ts";
import { SmsOptOut, SuppressedAddress } from "./recipients/opt-out.entity.ts";

export const database: DatabaseDefinition = {
  service: "communications",
  entities: [
    Message,
    OutboxMessage,
    Notification,
    NotificationDelivery,
    SmsOptOut,
    SuppressedAddress,
    Conversation,
    ConversationMessage,
    ConversationReadMarker,
    Blast,
    BlastRecipient,
    WebhookEvent,
  ],
  migrations: new URL("../migrations/", import.meta.url),
  constraints: {},
  // The content of a queued message may hold a link that grants access.
  secrets: { message: ["text", "html"] },
};
