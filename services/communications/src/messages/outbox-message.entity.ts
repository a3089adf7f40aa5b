import { defineEntity, enumText, p } from "@freehold/kit/db/entity";
import { channels } from "./message.entity.ts";

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
 * A message as the development outbox shows it. The one table without organizations and without row-level security: a
 * developer reads the outbox before there is a token, across all sign-ups of the machine. It is written only where
 * DEV_OUTBOX is on and no mail server is set, so a deployment that serves people never has a row in it.
 */
export class OutboxMessage extends OutboxMessageSchema.class {}
OutboxMessageSchema.setClass(OutboxMessage);
