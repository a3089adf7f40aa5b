/** The receivers of webhooks: for each its settings, the verification of a request, and the id of the event. */
import type { webhookReceivers } from "@freehold/contract/communications/webhooks";
import { z } from "zod";
import { hasCloudSignature } from "./verification/cloud-signature.ts";
import { parseCloudNotification } from "./verification/cloud-notification.rules.ts";
import { hasPaymentSignature } from "./verification/payment-signature.rules.ts";
import { hasPushToken } from "./verification/push-token.rules.ts";
import { signingKeys } from "./verification/signing-certificates.ts";
import { formOf, hasSmsSignature } from "./verification/sms-signature.rules.ts";
import { hasStandardSignature, standardId } from "./verification/standard-signature.rules.ts";
import { webhookHeader, type WebhookRequest } from "./verification/webhook-request.ts";
import type { WebhookSettings } from "./webhook-settings.ts";

export type ReceiverName = (typeof webhookReceivers)[number];

/** Settings of all receivers. */
export type ReceiverSettings = WebhookSettings & { PUBLIC_URL: string; SMS_PROVIDER_AUTH_TOKEN?: string | undefined };

export interface Receiver {
  /** Setting without which the receiver responds with 503. */
  setting: keyof ReceiverSettings;
  /** Tells whether the provider has sent a request; undefined without the setting. */
  verify: ((request: WebhookRequest) => boolean | Promise<boolean>) | undefined;
  /** Returns the provider's id of the event in a verified request, or undefined for an unusable one. */
  eventId: (request: WebhookRequest) => string | undefined;
  /**
   * Returns the signature where it does not delimit the members that it signs, so that the same signature may verify a request with an
   * altered id. An event is stored once for each.
   */
  signature?: (request: WebhookRequest) => string | undefined;
}

export type Receivers = Record<ReceiverName, Receiver>;

/** Creates the table of receivers. */
export function createReceivers(settings: ReceiverSettings): Receivers {
  const { PUBLIC_URL, SMS_PROVIDER_AUTH_TOKEN, CLOUD_NOTIFICATION_CERT_HOSTS: hosts, CLOUD_NOTIFICATION_SIGNATURE_V1: acceptsVersion1 } = settings;
  const keys = signingKeys({ requiresName: hosts === undefined });
  const whenSet = <T>(value: T | undefined, verify: (value: T, request: WebhookRequest) => boolean | Promise<boolean>): Receiver["verify"] =>
    value === undefined ? undefined : (request) => verify(value, request);
  const sms = {
    setting: "SMS_PROVIDER_AUTH_TOKEN",
    verify: whenSet(SMS_PROVIDER_AUTH_TOKEN, (token, request) => hasSmsSignature(token, PUBLIC_URL, request)),
    signature: (request: WebhookRequest) => webhookHeader(request, "X-Sms-Signature"),
  } as const;
  const cloud = (setting: "CLOUD_EMAIL_TOPIC_ARN" | "CLOUD_SMS_TOPIC_ARN"): Receiver => ({
    setting,
    verify: whenSet(settings[setting], (topicArns, request) => hasCloudSignature({ topicArns, acceptsVersion1, hosts, keys }, request)),
    eventId: ({ body }) => EventId.safeParse(parseCloudNotification(body)?.MessageId).data,
    signature: ({ body }) => parseCloudNotification(body)?.Signature,
  });
  return {
    payment_provider: {
      setting: "PAYMENT_PROVIDER_WEBHOOK_SECRET",
      verify: whenSet(settings.PAYMENT_PROVIDER_WEBHOOK_SECRET, hasPaymentSignature),
      eventId: ({ body }) => memberOf(PaymentEvent, body)?.id,
    },
    email_inbound: {
      setting: "EMAIL_INBOUND_WEBHOOK_SECRET",
      verify: whenSet(settings.EMAIL_INBOUND_WEBHOOK_SECRET, hasStandardSignature),
      eventId: standardId,
    },
    email_cloud_inbound: cloud("CLOUD_EMAIL_TOPIC_ARN"),
    sms_inbound: { ...sms, eventId: (request) => smsEventId(request, "MessageSid", "SmsMessageSid", "SmsSid") },
    sms_status: {
      ...sms,
      eventId: (request) => {
        const [sid, status] = [smsEventId(request, "MessageSid", "SmsSid"), formOf(request).get("MessageStatus") ?? formOf(request).get("SmsStatus")];
        return sid !== undefined && status ? EventId.safeParse(`${sid}:${status}`).data : undefined;
      },
    },
    sms_cloud_inbound: cloud("CLOUD_SMS_TOPIC_ARN"),
    mailbox_push: {
      setting: "MAILBOX_PUSH_TOKEN",
      verify: whenSet(settings.MAILBOX_PUSH_TOKEN, hasPushToken),
      eventId: ({ body }) => {
        const message = memberOf(PushEnvelope, body)?.message;
        return message?.messageId ?? message?.message_id;
      },
    },
  };
}

/** PostgreSQL stores no text with U+0000. */
const EventId = z
  .string()
  .min(1)
  .max(255)
  .refine((id) => !id.includes("\u0000"));
const PaymentEvent = z.object({ id: EventId });
const PushEnvelope = z.object({ message: z.object({ messageId: EventId.optional(), message_id: EventId.optional() }) });

/** Returns the JSON content of a body if it has the given form. */
function memberOf<S extends z.ZodType>(schema: S, body: Buffer): z.output<S> | undefined {
  try {
    return schema.safeParse(JSON.parse(body.toString())).data;
  } catch {
    return undefined;
  }
}

/** Returns the first of the form parameters that is set. */
function smsEventId(request: WebhookRequest, ...names: readonly string[]): string | undefined {
  const form = formOf(request);
  return names.map((name) => form.get(name)).find((value) => value !== null && value.length <= 200 && EventId.safeParse(value).success) ?? undefined;
}
