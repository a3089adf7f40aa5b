/** The cloud notification service (Amazon SNS): a server with its certificate and API, and messages that it signs. */
import { createSign, randomUUID, type KeyObject } from "node:crypto";
import { writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSigningCertificate, type SigningCertificate } from "../../../deploy/webhooks/certificate.ts";
import type { ProviderRequest } from "./webhooks.ts";

/** Message as it is sent. */
export type CloudMessage = Record<string, string>;

const signedNames: Record<string, string[]> = {
  Notification: ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"],
  other: ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"],
};

/** Signs a message with version 2, or 1, which uses SHA-1. */
export function signCloudMessage(message: CloudMessage, privateKey: KeyObject, version: "1" | "2" = "2"): CloudMessage {
  const names = signedNames[message["Type"]!] ?? signedNames["other"]!;
  const signer = createSign(version === "2" ? "RSA-SHA256" : "RSA-SHA1");
  for (const name of names) if (message[name] !== undefined) signer.update(`${name}\n${message[name]}\n`);
  return { ...message, SignatureVersion: version, Signature: signer.sign(privateKey, "base64") };
}

export interface CloudServer {
  host: string;
  certificateUrl: string;
  certificate: SigningCertificate;
  /** File with the certificate, which its clients trust. */
  caFile: string;
  /** Paths and queries of the received requests. */
  requests: string[];
  /** Sets the response to the following requests; undefined serves the certificate and the API again. */
  respondWith(respond: ((response: ServerResponse) => void) | undefined): void;
  /** Returns a signed notification to a receiver. */
  notification(path: string, topicArn: string, message: unknown, changes?: CloudMessage): ProviderRequest;
  /** Returns a signed request to confirm a subscription. */
  subscription(path: string, topicArn: string, changes?: CloudMessage): ProviderRequest;
  close(): Promise<void>;
}

export async function startCloudServer(): Promise<CloudServer> {
  const certificate = await createSigningCertificate();
  const requests: string[] = [];
  let respond: ((response: ServerResponse) => void) | undefined;
  const server = createServer({ key: certificate.privateKey.export({ type: "pkcs8", format: "pem" }), cert: certificate.pem }, (req: IncomingMessage, res) => {
    requests.push(req.url!);
    if (respond) respond(res);
    else res.end(req.url!.endsWith(".pem") ? certificate.pem : "<ConfirmSubscriptionResponse/>");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const host = `localhost:${(server.address() as AddressInfo).port}`;
  const certificateUrl = `https://${host}/SimpleNotificationService-${"a".repeat(32)}.pem`;
  const caFile = join(tmpdir(), `freehold-cloud-${randomUUID()}.pem`);
  writeFileSync(caFile, certificate.pem);
  const request = (path: string, message: CloudMessage): ProviderRequest => ({
    path,
    headers: { "Content-Type": "text/plain; charset=UTF-8" },
    body: JSON.stringify(
      signCloudMessage({ MessageId: randomUUID(), Timestamp: new Date().toISOString(), SigningCertURL: certificateUrl, ...message }, certificate.privateKey),
    ),
  });
  return {
    host,
    certificateUrl,
    certificate,
    caFile,
    requests,
    respondWith: (next) => (respond = next),
    notification: (path, topicArn, message, changes = {}) =>
      request(path, { Type: "Notification", TopicArn: topicArn, Message: JSON.stringify(message), ...changes }),
    subscription: (path, topicArn, changes = {}) =>
      request(path, {
        Type: "SubscriptionConfirmation",
        TopicArn: topicArn,
        Message: "You have chosen to subscribe.",
        Token: "token of the subscription",
        SubscribeURL: `https://${host}/?Action=ConfirmSubscription&TopicArn=${topicArn}&Token=token`,
        ...changes,
      }),
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
