/** Table of messages, with their channels and statuses. */
import { defineEntity, inOrganization, enumText, orgColumns, p } from "@freehold/kit/db/entity";

export const channels = ["email", "sms"] as const;
export const statuses = ["queued", "sent", "skipped", "failed"] as const;
export type Channel = (typeof channels)[number];
export type Status = (typeof statuses)[number];

const MessageSchema = defineEntity({
  name: "Message",
  tableName: "message",
  ...inOrganization,
  indexes: [{ name: "message_waiting", properties: ["organizationId", "status", "nextAttemptAt"] }],
  properties: {
    ...orgColumns,
    channel: enumText(channels),
    template: p.text(),
    toAddress: p.text(),
    fromAddress: p.text(),
    subject: p.text().nullable(),
    text: p.text().nullable(),
    html: p.text().nullable(),
    provider: p.text(),
    status: enumText(statuses),
    error: p.text().nullable(),
    attempts: p.integer(),
    nextAttemptAt: p.datetime(3).nullable(),
  },
});

/**
 * Message to a person. The sending service chooses the id, so that a repeated request stores one message. `text` and `html` are
 * stored only while the message is queued, because they may contain links that grant access.
 */
export class Message extends MessageSchema.class {}
MessageSchema.setClass(Message);
