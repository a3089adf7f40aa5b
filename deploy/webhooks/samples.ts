/** Samples of the events of each webhook receiver, signed as their providers do. */
import { randomUUID, sign, type KeyObject } from "node:crypto";
import { parseCloudNotification, signedText } from "../../services/communications/src/webhooks/verification/cloud-notification.rules.ts";
import { paymentSignature } from "../../services/communications/src/webhooks/verification/payment-signature.rules.ts";
import { smsSignature } from "../../services/communications/src/webhooks/verification/sms-signature.rules.ts";
import { standardSignature } from "../../services/communications/src/webhooks/verification/standard-signature.rules.ts";

/** Secrets and settings with which samples are signed. */
export interface SampleSettings {
  publicUrl: string;
  paymentSecret: string | undefined;
  emailSecret: string | undefined;
  smsAuthToken: string | undefined;
  pushToken: string | undefined;
  emailTopicArn: string | undefined;
  smsTopicArn: string | undefined;
  /** Host that serves the certificate of cloud notifications, and its key. */
  cloud: { host: string; privateKey: KeyObject } | undefined;
  /** Sender or recipient in the sample. */
  address: string | undefined;
}

/** Signed request. */
export interface Sample {
  path: string;
  headers: Record<string, string>;
  body: string;
}

type Make = (settings: SampleSettings) => Sample;

/** Throws an error that names the missing setting. */
function required<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new Error(`Set ${name} to the value with which the system runs.`);
  return value;
}

const unixTime = () => String(Math.floor(Date.now() / 1_000));
const json = { "Content-Type": "application/json" };

const payment =
  (type: string): Make =>
  ({ paymentSecret }) => {
    const body = JSON.stringify({ id: `evt_${randomUUID()}`, object: "event", type, data: { object: { id: "pi_1", amount: 150_000 } } }, null, 2);
    const timestamp = unixTime();
    const signature = paymentSignature(firstOf(required(paymentSecret, "PAYMENT_PROVIDER_WEBHOOK_SECRET")), timestamp, Buffer.from(body));
    return { path: "/api/webhooks/payment-provider", headers: { ...json, "Payment-Signature": `t=${timestamp},v1=${signature}` }, body };
  };

const email =
  (type: string, data: (address: string) => object): Make =>
  ({ emailSecret, address = "ana@example.com" }) => {
    const [id, timestamp, body] = [`msg_${randomUUID()}`, unixTime(), JSON.stringify({ type, data: data(address) })];
    const signature = standardSignature(firstOf(required(emailSecret, "EMAIL_INBOUND_WEBHOOK_SECRET")), id, timestamp, Buffer.from(body));
    return {
      path: "/api/webhooks/email/inbound",
      headers: { ...json, "Webhook-Id": id, "Webhook-Timestamp": timestamp, "Webhook-Signature": `v1,${signature}` },
      body,
    };
  };

const sms =
  (kind: "inbound" | "status", parameters: (address: string) => Record<string, string>): Make =>
  ({ smsAuthToken, publicUrl, address = "+15185550142" }) => {
    const path = `/api/webhooks/sms/${kind}`;
    const form = new URLSearchParams({ MessageSid: `SM${randomUUID().replaceAll("-", "")}`, ...parameters(address) });
    const signature = smsSignature(required(smsAuthToken, "SMS_PROVIDER_AUTH_TOKEN"), `${publicUrl.replace(/\/$/, "")}${path}`, form);
    return { path, headers: { "Content-Type": "application/x-www-form-urlencoded", "X-Sms-Signature": signature }, body: form.toString() };
  };

const cloud =
  (kind: "email" | "sms", members: (address: string, host: string, topicArn: string) => Record<string, string>): Make =>
  ({ emailTopicArn, smsTopicArn, cloud: service, address = kind === "email" ? "ana@example.com" : "+15185550142" }) => {
    const topicArn = firstOf(kind === "email" ? required(emailTopicArn, "CLOUD_EMAIL_TOPIC_ARN") : required(smsTopicArn, "CLOUD_SMS_TOPIC_ARN"));
    const { host, privateKey } = required(service, "CLOUD_NOTIFICATION_CERT_HOSTS");
    const message = {
      Type: "Notification",
      MessageId: randomUUID(),
      TopicArn: topicArn,
      Timestamp: new Date().toISOString(),
      SignatureVersion: "2",
      Signature: "",
      SigningCertURL: `https://${host}/SimpleNotificationService-${"0".repeat(32)}.pem`,
      ...members(address, host, topicArn),
    };
    const text = signedText(parseCloudNotification(Buffer.from(JSON.stringify(message)))!);
    const body = JSON.stringify({ ...message, Signature: sign("RSA-SHA256", Buffer.from(text), privateKey).toString("base64") });
    return { path: `/api/webhooks/${kind}/cloud-inbound`, headers: { "Content-Type": "text/plain; charset=UTF-8" }, body };
  };

const subscription = (_address: string, host: string, topicArn: string): Record<string, string> => ({
  Type: "SubscriptionConfirmation",
  Message: "You have chosen to subscribe to the topic.",
  Token: randomUUID(),
  SubscribeURL: `https://${host}/?Action=ConfirmSubscription&TopicArn=${topicArn}`,
});
const mime = (from: string) =>
  Buffer.from(`From: ${from}\r\nTo: office@example.com\r\nSubject: Tap\r\nMessage-ID: <${randomUUID()}@example.com>\r\n\r\nThe tap drips.\r\n`);
const notification = (message: object) => ({ Message: JSON.stringify(message) });

const push: Make = ({ pushToken }) => ({
  path: `/api/webhooks/mailbox/push?token=${encodeURIComponent(firstOf(required(pushToken, "MAILBOX_PUSH_TOKEN")))}`,
  headers: json,
  body: JSON.stringify({ message: { messageId: randomUUID(), data: Buffer.from('{"emailAddress":"office@example.com","historyId":1}').toString("base64") } }),
});

/** Returns the newest of the secrets that are separated by spaces or commas. */
const firstOf = (list: string): string => list.trim().split(/[\s,]+/)[0]!;

/** Samples by receiver and event; the first event of a receiver is the default. */
export const samples: Record<string, Record<string, Make>> = {
  "payment-provider": { "payment_intent.succeeded": payment("payment_intent.succeeded"), "charge.refunded": payment("charge.refunded") },
  "email/inbound": {
    received: email("email.received", (from) => ({
      from,
      to: ["office@example.com"],
      subject: "Tap",
      text: "The tap drips.",
      message_id: `<${randomUUID()}@example.com>`,
    })),
    bounced: email("email.bounced", (to) => ({ to: [to], bounce: { type: "Permanent" } })),
    complained: email("email.complained", (to) => ({ to: [to] })),
  },
  "email/cloud-inbound": {
    received: cloud("email", (from) =>
      notification({
        notificationType: "Received",
        mail: { source: from },
        content: mime(from).toString("base64"),
        receipt: { action: { encoding: "BASE64" } },
      }),
    ),
    bounce: cloud("email", (to) =>
      notification({ notificationType: "Bounce", bounce: { bounceType: "Permanent", bouncedRecipients: [{ emailAddress: to }] } }),
    ),
    complaint: cloud("email", (to) => notification({ notificationType: "Complaint", complaint: { complainedRecipients: [{ emailAddress: to }] } })),
    subscription: cloud("email", subscription),
  },
  "sms/inbound": {
    text: sms("inbound", (From) => ({ From, To: "+15185550100", Body: "The tap drips." })),
    stop: sms("inbound", (From) => ({ From, To: "+15185550100", Body: "STOP" })),
    start: sms("inbound", (From) => ({ From, To: "+15185550100", Body: "START" })),
  },
  "sms/status": {
    delivered: sms("status", (To) => ({ To, MessageStatus: "delivered" })),
    failed: sms("status", (To) => ({ To, MessageStatus: "failed", ErrorCode: "30003" })),
  },
  "sms/cloud-inbound": {
    received: cloud("sms", (from) =>
      notification({ originationNumber: from, destinationNumber: "+15185550100", messageBody: "The tap drips.", inboundMessageId: randomUUID() }),
    ),
    subscription: cloud("sms", subscription),
  },
  "mailbox/push": { changed: push },
};
