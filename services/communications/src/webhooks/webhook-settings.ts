/** Settings of the webhook receivers, for communications and for `npm start`. */
import { flag } from "@freehold/kit/config";
import { z } from "zod";

const secrets = (pattern: RegExp) =>
  z
    .string()
    .transform((list) => list.trim().split(/\s+/))
    .pipe(z.array(z.string().regex(pattern)).min(1));

const TOPIC_ARN = /^arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[\w-]{1,256}(\.fifo)?$/;
const topics = () =>
  z
    .string()
    .transform(splitList)
    .pipe(z.array(z.string().regex(TOPIC_ARN)).min(1));

/** Splits a list at commas and spaces. */
function splitList(list: string): string[] {
  return list.split(/[\s,]+/).filter((item) => item !== "");
}

/** Returns a host in its canonical form, `host` or `host:port`, or undefined for a text that is none. */
function canonicalHost(text: string): string | undefined {
  const url = URL.parse(`https://${text}`);
  return url && url.username === "" && url.password === "" && /^[^/?#\\@]+$/.test(text) ? url.host : undefined;
}

export const webhookSettings = {
  PAYMENT_PROVIDER_WEBHOOK_SECRET: secrets(/^\S{8,}$/)
    .optional()
    .describe("signing secret of the payment processor's webhook; two separated by a space during a rotation; unset to refuse its events"),
  EMAIL_INBOUND_WEBHOOK_SECRET: secrets(/^whsec_[A-Za-z0-9+/]{22,}={0,2}$/)
    .optional()
    .describe("signing secret of the e-mail provider's webhook, whsec_ and base64; two separated by a space during a rotation; unset to refuse its events"),
  EMAIL_INBOUND_AUTHSERV_ID: z
    .string()
    .regex(/^[\w.-]+$/)
    .optional()
    .describe(
      "name of the e-mail provider's mail server in the Authentication-Results headers that it adds to received e-mails, such as mx.example.com; unset to ignore these headers",
    ),
  CLOUD_EMAIL_TOPIC_ARN: topics().optional().describe("topics of the cloud notification service for e-mails, separated by commas; unset to refuse them"),
  CLOUD_SMS_TOPIC_ARN: topics().optional().describe("topics of the cloud notification service for text messages, separated by commas; unset to refuse them"),
  CLOUD_NOTIFICATION_CERT_HOSTS: z
    .string()
    .transform((list) => splitList(list).map((host) => canonicalHost(host) ?? ""))
    .pipe(z.array(z.string().min(1)).min(1))
    .optional()
    .describe(
      "hosts of the certificates and of the API of the cloud notification service, host or host:port, separated by commas; unset for those of AWS in the topic's region",
    ),
  CLOUD_NOTIFICATION_SIGNATURE_V1: flag.default(false).describe("also accept cloud notifications with signature version 1, which uses SHA-1"),
  MAILBOX_PUSH_TOKEN: secrets(/^[\w.~-]{16,}$/)
    .optional()
    .describe(
      "token in the URL of the push subscriptions of mailboxes, at least 16 characters; two separated by a space during a rotation; unset to refuse them",
    ),
  WEBHOOK_EVENT_DAYS: z.coerce
    .number()
    .int()
    .min(1)
    .max(365)
    .default(30)
    .describe("days after which the content of webhook events is deleted, and their entries in the list"),
  WEBHOOK_ID_DAYS: z.coerce
    .number()
    .int()
    .min(30)
    .max(36_500)
    .default(1_095)
    .describe("days for which the IDs of webhook events are kept, so that a repetition has no effect; at least WEBHOOK_EVENT_DAYS"),
};

const schema = z.object(webhookSettings);
export type WebhookSettings = z.output<typeof schema>;
