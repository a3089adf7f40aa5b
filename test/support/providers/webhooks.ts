/** Webhooks as providers send them, signed with plain `node:crypto`. */
import { createHmac, randomUUID } from "node:crypto";
import { webhookSecrets } from "../settings.ts";

/** Request of a provider. */
export interface ProviderRequest {
  path: string;
  headers: Record<string, string>;
  body: string | Buffer;
}

const unixTime = () => Math.floor(Date.now() / 1_000);

/** Event of the payment processor. */
export function paymentEvent(body: string | Buffer, { secret = webhookSecrets.PAYMENT_PROVIDER_WEBHOOK_SECRET, timestamp = unixTime() } = {}): ProviderRequest {
  const signature = createHmac("sha256", secret).update(`${timestamp}.`).update(body).digest("hex");
  return {
    path: "/api/webhooks/payment-provider",
    headers: { "Payment-Signature": `t=${timestamp},v1=${signature}`, "Content-Type": "application/json" },
    body,
  };
}

/** Event of the e-mail delivery provider. */
export function emailEvent(
  event: unknown,
  { id = `msg_${randomUUID()}`, secret = webhookSecrets.EMAIL_INBOUND_WEBHOOK_SECRET, timestamp = unixTime() } = {},
): ProviderRequest {
  const body = typeof event === "string" ? event : JSON.stringify(event);
  const signature = createHmac("sha256", Buffer.from(secret.slice(6), "base64"))
    .update(`${id}.${timestamp}.${body}`)
    .digest("base64");
  return {
    path: "/api/webhooks/email/inbound",
    headers: { "Webhook-Id": id, "Webhook-Timestamp": String(timestamp), "Webhook-Signature": `v1,${signature}`, "Content-Type": "application/json" },
    body,
  };
}

/** Form of the SMS provider, signed for a public URL. */
export function smsForm(
  kind: "inbound" | "status",
  form: Record<string, string>,
  { authToken, publicUrl }: { authToken: string; publicUrl: string },
): ProviderRequest {
  const path = `/api/webhooks/sms/${kind}`;
  const signed = `${publicUrl}${path}${Object.keys(form)
    .sort()
    .map((name) => `${name}${form[name]}`)
    .join("")}`;
  const signature = createHmac("sha1", authToken).update(signed).digest("base64");
  return {
    path,
    headers: { "X-Sms-Signature": signature, "Content-Type": "application/x-www-form-urlencoded; charset=utf-8" },
    body: new URLSearchParams(form).toString(),
  };
}

/** Push notification of a mailbox. */
export const mailboxPush = (messageId: string, token = webhookSecrets.MAILBOX_PUSH_TOKEN): ProviderRequest => ({
  path: `/api/webhooks/mailbox/push?token=${token}`,
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify({ message: { messageId, data: Buffer.from("{}").toString("base64") }, subscription: "projects/p/subscriptions/s" }),
});

/** Sends a request of a provider, and returns the response. */
export async function sendWebhook(baseUrl: string, { path, headers, body }: ProviderRequest): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(`${baseUrl}${path}`, { method: "POST", headers, body: typeof body === "string" ? body : new Uint8Array(body) });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}
