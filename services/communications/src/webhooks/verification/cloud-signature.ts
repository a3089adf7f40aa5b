/** Signatures of the cloud notification service: RSA with SHA-256, or SHA-1 where the setting permits it. */
import { verify } from "node:crypto";
import { certificateUrl, parseCloudNotification, signedText, type CloudHosts } from "./cloud-notification.rules.ts";
import type { SigningKeys } from "./signing-certificates.ts";
import type { WebhookRequest } from "./webhook-request.ts";

export interface CloudVerification extends CloudHosts {
  topicArns: readonly string[];
  acceptsVersion1: boolean;
  keys: SigningKeys;
}

const algorithms = { 1: "RSA-SHA1", 2: "RSA-SHA256" } as const;

/** Tells whether the service has signed a message of one of the topics. Nothing is fetched for a message of another topic, version or host. */
export async function hasCloudSignature(accepted: CloudVerification, { body, receivedAtMs }: WebhookRequest): Promise<boolean> {
  const notification = parseCloudNotification(body);
  if (!notification || !accepted.topicArns.includes(notification.TopicArn)) return false;
  if (notification.SignatureVersion === "1" && !accepted.acceptsVersion1) return false;
  const signature = Buffer.from(notification.Signature, "base64");
  // One spelling of a signature: base64 has unused bits, and the decoder skips other characters.
  if (signature.toString("base64") !== notification.Signature) return false;
  const url = certificateUrl(notification, accepted);
  const key = url && (await accepted.keys(url, notification.TopicArn, new Date(receivedAtMs)));
  if (!key) return false;
  return verify(algorithms[notification.SignatureVersion], Buffer.from(signedText(notification)), key, signature);
}
