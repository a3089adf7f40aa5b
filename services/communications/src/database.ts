/** Database definition of communications: entities, migrations and redacted columns. */
import { conflict } from "@freehold/kit/errors";
import type { DatabaseDefinition } from "@freehold/kit/db/database";
import { Blast, BlastRecipient } from "./blasts/blast.entity.ts";
import { Conversation, ConversationMessage, ConversationReadMarker } from "./conversations/conversation.entity.ts";
import { EmailAccount } from "./email-accounts/email-account.entity.ts";
import { Message } from "./messages/message.entity.ts";
import { OutboxMessage } from "./messages/dev-outbox/outbox-message.entity.ts";
import { Notification, NotificationDelivery, NotificationDigest } from "./notifications/notification.entity.ts";
import { NotificationWindow } from "./notifications/collection/notification-window.entity.ts";
import { NotificationSettings } from "./notifications/preferences/notification-settings.entity.ts";
import { WebhookEvent } from "./webhooks/webhook-event.entity.ts";
import { SmsOptOut, SuppressedAddress } from "./recipients/opt-out.entity.ts";

export const database: DatabaseDefinition = {
  service: "communications",
  entities: [
    Message,
    OutboxMessage,
    Notification,
    NotificationDelivery,
    NotificationDigest,
    NotificationSettings,
    NotificationWindow,
    SmsOptOut,
    SuppressedAddress,
    Conversation,
    ConversationMessage,
    ConversationReadMarker,
    Blast,
    BlastRecipient,
    EmailAccount,
    WebhookEvent,
  ],
  migrations: new URL("../migrations/", import.meta.url),
  constraints: {
    email_account_address_once: () => conflict("The organization has an e-mail account with this address already. Use another address.", "duplicate"),
  },
  // The content of a queued message may hold a link that grants access.
  secrets: { message: ["text", "html"], email_account: ["dkim_key_sealed", "code_hash"] },
};
