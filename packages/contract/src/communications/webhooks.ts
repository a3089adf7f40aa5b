import { z } from "zod";
import { operationGroup } from "../operation.ts";
import { csvEnum, Id, Instant, listQuery, page, PlainDate } from "../values.ts";

export const webhookReceivers = [
  "payment_provider",
  "email_inbound",
  "email_cloud_inbound",
  "sms_inbound",
  "sms_status",
  "sms_cloud_inbound",
  "mailbox_push",
] as const;
export const webhookEventStatuses = ["received", "processed", "ignored", "failed"] as const;

/** Headers of webhooks, each with the name that a well-known provider uses for it. */
export const webhookHeaders = {
  "Payment-Signature": "Stripe-Signature",
  "Webhook-Id": "Svix-Id",
  "Webhook-Timestamp": "Svix-Timestamp",
  "Webhook-Signature": "Svix-Signature",
  "X-Sms-Signature": "X-Twilio-Signature",
} as const;
export type WebhookHeader = keyof typeof webhookHeaders;

const headerDescriptions: Record<WebhookHeader, string> = {
  "Payment-Signature": "Signature of the payment processor: `t=<Unix time>,v1=<hex HMAC-SHA256 of t.body>`, with several `v1` during a rotation of the secret.",
  "Webhook-Id": "ID of the event, which stays the same when the event is sent again.",
  "Webhook-Timestamp": "Unix time of the attempt, at most 300 seconds away from the current time.",
  "Webhook-Signature": "Signatures separated by spaces, each `v1,<base64 HMAC-SHA256 of id.timestamp.body>`.",
  "X-Sms-Signature":
    "Signature of the SMS provider: base64 HMAC-SHA1 of the URL below `PUBLIC_URL`, followed by the sorted form parameters, with the account's auth token.",
};

/** Returns the schema of webhook headers with their aliases. */
const headers = (...names: readonly WebhookHeader[]) =>
  z.object(
    Object.fromEntries(
      names.flatMap((name) => [
        [name, z.string().optional().describe(headerDescriptions[name])],
        [webhookHeaders[name], z.string().optional().describe(`Another name of \`${name}\`.`)],
      ]),
    ),
  );

/** Content of a webhook in the OpenAPI document. Receivers take the bytes of the body instead. */
export const WebhookPayload = z
  .record(z.string(), z.unknown())
  .meta({ id: "WebhookPayload", description: "Event in the format of the provider, signed byte for byte." });

const response = {
  received: z.literal(true).describe("The event is stored. It is processed afterwards."),
  duplicate: z.literal(true).optional().describe("Set when the event had been received before; it has no further effect."),
};

const receiver = { method: "POST", access: "public", webhook: "application/json", response, errors: [401, 503] } as const;
const smsReceiver = { ...receiver, webhook: "application/x-www-form-urlencoded", headers: headers("X-Sms-Signature") } as const;
const notConfigured =
  "Responds with 503 `not_configured` while its secret is not set, and with 401 `signature_invalid` when the signature is wrong; then nothing is stored.";

export const WebhookEvent = z
  .strictObject({
    id: Id.describe("ID of the event in the organization."),
    receiver: z.enum(webhookReceivers).describe("Receiver that got the event: the path below `/api/webhooks` in snake case."),
    providerEventId: z.string().describe("ID of the event at the provider. An event with the same ID is a duplicate."),
    status: z
      .enum(webhookEventStatuses)
      .describe("Status of the event: `received` until it is processed, `processed`, `ignored` when it has no effect, or `failed` after the last attempt."),
    attempts: z.int().min(0).describe("Number of attempts to process the event."),
    error: z.string().nullable().describe("Reason of an ignored event or error of the last failed attempt, or null."),
    preview: z.string().nullable().describe("Summary of the content, at most 300 characters, without secrets; null for none."),
    receivedAt: Instant.describe("Time at which the event was received."),
    processedAt: Instant.nullable().describe("Time at which the event was processed or ignored. Null until then."),
    createdAt: Instant.describe("Time at which the event was assigned to the organization."),
    updatedAt: Instant.describe("Time of the last change."),
  })
  .meta({ id: "WebhookEvent", description: "Event that a provider sent to a webhook receiver and that concerns the organization." });
export type WebhookEvent = z.output<typeof WebhookEvent>;

export const webhooks = operationGroup("Webhooks", "communications", {
  receivePaymentProviderWebhook: {
    ...receiver,
    path: "/api/webhooks/payment-provider",
    summary: "receive an event of the payment processor",
    description: `Stores the event; the body's \`id\` identifies it. ${notConfigured}`,
    headers: headers("Payment-Signature"),
  },
  receiveInboundEmailWebhook: {
    ...receiver,
    path: "/api/webhooks/email/inbound",
    summary: "receive an e-mail from the delivery provider",
    description: `Takes e-mails, bounces and complaints. An e-mail is added to the sender's conversation; a permanent bounce or a complaint ends e-mails to the address. ${notConfigured}`,
    headers: headers("Webhook-Id", "Webhook-Timestamp", "Webhook-Signature"),
  },
  receiveCloudEmailWebhook: {
    ...receiver,
    path: "/api/webhooks/email/cloud-inbound",
    summary: "receive an e-mail from the cloud e-mail service",
    description: `Takes signed notifications of the topics in \`CLOUD_EMAIL_TOPIC_ARN\`, and confirms their subscription. ${notConfigured}`,
  },
  receiveSmsWebhook: {
    ...smsReceiver,
    path: "/api/webhooks/sms/inbound",
    summary: "receive a text message from the SMS provider",
    description: `Adds the text message to the sender's conversation. STOP and START take effect at once. ${notConfigured}`,
  },
  receiveSmsStatusWebhook: {
    ...smsReceiver,
    path: "/api/webhooks/sms/status",
    summary: "receive the status of a sent text message",
    description: `Updates the delivery of the message. Responds with 202 when no sent message has the ID. ${notConfigured}`,
    acceptsUnmatched: true,
  },
  receiveCloudSmsWebhook: {
    ...receiver,
    path: "/api/webhooks/sms/cloud-inbound",
    summary: "receive a text message from the cloud notification service",
    description: `Takes signed notifications of the topics in \`CLOUD_SMS_TOPIC_ARN\`, and confirms their subscription. ${notConfigured}`,
  },
  receiveMailboxPushWebhook: {
    ...receiver,
    path: "/api/webhooks/mailbox/push",
    summary: "receive a push notification of a mailbox",
    description: `Stores the notification. The query parameter \`token\` of the subscription's URL must be \`MAILBOX_PUSH_TOKEN\`. ${notConfigured}`,
  },
  listWebhookEvents: {
    method: "GET",
    path: "/api/webhook-events",
    summary: "list webhook events",
    access: ["admin", "manager"],
    description:
      "Returns the events that concern the organization. Events that belong to no organization are not listed. Events are kept for `WEBHOOK_EVENT_DAYS`.",
    query: listQuery(["receivedAt"], {
      receiver: csvEnum(webhookReceivers).optional().describe("Return only events of these receivers."),
      status: csvEnum(webhookEventStatuses).optional().describe("Return only events with one of these statuses."),
      createdAfter: PlainDate.optional().describe("Return only events received on or after this date, in the organization's time zone."),
      createdBefore: PlainDate.optional().describe("Return only events received on or before this date, in the organization's time zone."),
    }),
    response: page("webhookEvents", WebhookEvent),
  },
  replayWebhookEvent: {
    method: "POST",
    path: "/api/webhook-events/{id}/replay",
    summary: "replay a webhook event",
    access: ["admin"],
    description:
      "Processes a failed or ignored event again, from its stored content. An event that was processed has taken effect, and one that is waiting will: both are refused with 409 `invalid_transition`.",
    response: { webhookEvent: WebhookEvent },
    errors: [409],
  },
});
