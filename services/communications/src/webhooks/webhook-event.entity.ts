/** Table of the webhook events of an organization. */
import { webhookEventStatuses, webhookReceivers } from "@freehold/contract/communications/webhooks";
import { defineEntity, enumText, inOrganization, orgColumns, p } from "@freehold/kit/db/entity";

const WebhookEventSchema = defineEntity({
  name: "WebhookEvent",
  tableName: "webhook_event",
  ...inOrganization,
  indexes: [
    { name: "webhook_event_by_receipt", properties: ["organizationId", "receivedAt", "id"] },
    {
      name: "webhook_event_waiting",
      expression: "create index webhook_event_waiting on webhook_event (organization_id, next_attempt_at) where next_attempt_at is not null",
    },
  ],
  uniques: [{ name: "webhook_event_of_receipt_once", properties: ["organizationId", "receiptId"] }],
  properties: {
    ...orgColumns,
    receiptId: p.uuid(),
    receiver: enumText(webhookReceivers),
    providerEventId: p.text(),
    status: enumText(webhookEventStatuses),
    attempts: p.integer(),
    error: p.text().nullable(),
    preview: p.text().nullable(),
    receivedAt: p.datetime(3),
    processedAt: p.datetime(3).nullable(),
    nextAttemptAt: p.datetime(3).nullable(),
  },
});

/** Webhook event that concerns the organization: one row of each organization for a receipt. Its content is that of the receipt. */
export class WebhookEvent extends WebhookEventSchema.class {}
WebhookEventSchema.setClass(WebhookEvent);
