import { defineEntity, enumText, p } from "@freehold/kit/db/entity";
import { channels } from "../message.entity.ts";

const OutboxMessageSchema = defineEntity({
  name: "OutboxMessage",
  tableName: "outbox_message",
  indexes: [{ name: "outbox_message_newest", properties: ["createdAt", "id"] }],
  properties: {
    id: p.uuid().primary(),
    channel: enumText(channels),
    toAddress: p.text(),
    fromAddress: p.text(),
    subject: p.text().nullable(),
    text: p.text(),
    html: p.text().nullable(),
    createdAt: p.datetime(3),
  },
});

/**
 * Message in the development outbox. The table has no organization and no row-level security, because developers read the outbox
 * before they have a token. It is written only with DEV_OUTBOX and without SMTP_URL, a combination for development.
 */
export class OutboxMessage extends OutboxMessageSchema.class {}
OutboxMessageSchema.setClass(OutboxMessage);
