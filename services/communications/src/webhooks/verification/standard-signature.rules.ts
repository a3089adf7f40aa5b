/** Signatures of Standard Webhooks: base64 HMAC-SHA256 of `id.timestamp.body` with the decoded secret after `whsec_`. */
import { createHmac } from "node:crypto";
import { isEqual } from "./equal.ts";
import { isRecent, webhookHeader, type WebhookRequest } from "./webhook-request.ts";

const MAX_ID_LENGTH = 255;

/** Returns the signature of an event at a Unix time. */
export const standardSignature = (secret: string, id: string, timestamp: string, body: Buffer): string =>
  createHmac("sha256", Buffer.from(secret.replace(/^whsec_/, ""), "base64"))
    .update(`${id}.${timestamp}.`)
    .update(body)
    .digest("base64");

/** Tells whether one of the secrets has signed a request within the tolerance. */
export function hasStandardSignature(secrets: readonly string[], request: WebhookRequest): boolean {
  const [id, timestamp, signatures] = [standardId(request), webhookHeader(request, "Webhook-Timestamp"), webhookHeader(request, "Webhook-Signature")];
  if (id === undefined || timestamp === undefined || signatures === undefined || !isRecent(timestamp, request.receivedAtMs)) return false;
  const expected = secrets.map((secret) => `v1,${standardSignature(secret, id, timestamp, request.body)}`);
  return signatures.split(" ").some((signature) => expected.some((each) => isEqual(each, signature)));
}

/** Returns the id of the event, or undefined without a usable one. A dot would shift the parts of the signed content. */
export function standardId(request: WebhookRequest): string | undefined {
  const id = webhookHeader(request, "Webhook-Id");
  return id !== undefined && id.length > 0 && id.length <= MAX_ID_LENGTH && !id.includes(".") ? id : undefined;
}
