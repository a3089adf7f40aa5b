/** Signatures of the payment processor: `t=<Unix time>,v1=<hex HMAC-SHA256 of "t.body">`, in the scheme of Stripe. */
import { createHmac } from "node:crypto";
import { isEqual } from "./equal.ts";
import { isRecent, webhookHeader, type WebhookRequest } from "./webhook-request.ts";

/** Returns the signature of a body at a Unix time. The secret is used as text, with its prefix. */
export const paymentSignature = (secret: string, timestamp: string, body: Buffer): string =>
  createHmac("sha256", secret).update(`${timestamp}.`).update(body).digest("hex");

/** Tells whether one of the secrets has signed a request within the tolerance. Signatures of other versions than `v1` are ignored. */
export function hasPaymentSignature(secrets: readonly string[], request: WebhookRequest): boolean {
  const items = (webhookHeader(request, "Payment-Signature") ?? "").split(",").map((item) => item.split("="));
  const valuesOf = (name: string) => items.flatMap((item) => (item.length === 2 && item[0] === name ? item[1]! : []));
  const [timestamp, ...otherTimestamps] = valuesOf("t");
  if (timestamp === undefined || otherTimestamps.length > 0 || !isRecent(timestamp, request.receivedAtMs)) return false;
  const expected = secrets.map((secret) => paymentSignature(secret, timestamp, request.body));
  return valuesOf("v1").some((signature) => expected.some((each) => isEqual(each, signature)));
}
