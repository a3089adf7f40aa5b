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
 * A message to a person outside, once for the id its sender gave it. Its content is there only while it waits to go:
 * it carries links that let their holder in, and what is not kept cannot leak.
 */
export class Message extends MessageSchema.class {}
MessageSchema.setClass(Message);
