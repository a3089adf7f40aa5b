/** Table of messages to people, with their channels and statuses. */
import type { deliveryStatuses } from "@freehold/contract/communications/conversations";
import { defineEntity, inOrganization, enumText, orgColumns, p, textArray } from "@freehold/kit/db/entity";

/** Channels with addresses outside of the system. */
export const channels = ["email", "sms"] as const;
export const deliveryChannels = ["in_app", ...channels] as const;
const statuses = ["queued", "sent", "delivered", "skipped", "failed"] as const satisfies readonly (typeof deliveryStatuses)[number][];
export const recipientTypes = ["tenant", "vendor", "owner", "user"] as const;
export type Channel = (typeof channels)[number];
export type DeliveryChannel = (typeof deliveryChannels)[number];
export type Status = (typeof statuses)[number];
export type RecipientType = (typeof recipientTypes)[number];

/** Status that a message entered. */
export interface StatusChange {
  status: Status;
  at: string;
  error: string | null;
}

const MessageSchema = defineEntity({
  name: "Message",
  tableName: "message",
  ...inOrganization,
  indexes: [
    { name: "message_by_address", properties: ["organizationId", "toAddress", "createdAt"] },
    {
      name: "message_by_age",
      expression: "create index message_by_age on message (organization_id, created_at) where status <> 'queued' and template <> 'conversation-message'",
    },
    { name: "message_waiting", properties: ["organizationId", "status", "nextAttemptAt"] },
    {
      name: "message_by_provider_id",
      expression: "create index message_by_provider_id on message (organization_id, provider_message_id) where provider_message_id is not null",
    },
    { name: "message_by_part", expression: "create index message_by_part on message using gin (part_ids) where part_ids <> '{}'" },
  ],
  properties: {
    ...orgColumns,
    channel: enumText(deliveryChannels),
    template: p.text(),
    recipientType: enumText(recipientTypes).nullable(),
    recipientId: p.uuid().nullable(),
    toAddress: p.text(),
    fromAddress: p.text(),
    subject: p.text().nullable(),
    text: p.text().nullable(),
    html: p.text().nullable(),
    provider: p.text(),
    providerMessageId: p.text().nullable(),
    partIds: textArray().defaultRaw("'{}'"),
    deliveredPartIds: textArray().defaultRaw("'{}'"),
    emailAccountId: p.uuid().nullable(),
    status: enumText(statuses),
    error: p.text().nullable(),
    history: p.json().$type<StatusChange[]>().default("[]"),
    attempts: p.integer(),
    nextAttemptAt: p.datetime(3).nullable(),
    sentAt: p.datetime(3).nullable(),
    deliveredAt: p.datetime(3).nullable(),
  },
});

/**
 * Message to one person over one channel: its delivery. The sender chooses the id, so that a repeated request stores one message.
 * `text` and `html` are stored only while the message is queued, because they may contain links that grant access. `error` of a skipped
 * message is the reason. The address of a message in the portal is empty. An e-mail with `emailAccountId` is sent from that account, others from the
 * default one. `partIds` are the provider's ids of the accepted parts of a text message that is sent in several, empty where the provider gave none, and
 * `deliveredPartIds` of those that were delivered.
 */
export class Message extends MessageSchema.class {}
MessageSchema.setClass(Message);
