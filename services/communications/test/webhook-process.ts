/** Process of communications with the secrets of all webhook receivers, for tests that send as the providers do. */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { readSecrets } from "../../../deploy/system/secrets.ts";
import { startServiceProcess } from "../../../test/support/service-process.ts";
import { webhookSecrets } from "../../../test/support/settings.ts";
import { running } from "../../../test/support/running.ts";

export const smsAuthToken = "auth token of the tests";
export const publicUrl = "https://office.example";
export const topicArns = { email: "arn:aws:sns:us-east-1:123456789012:emails", sms: "arn:aws:sns:us-east-1:123456789012:texts" };

/** Starts an SMS provider that accepts every text message: the process also delivers those of other tests, as any replica does. */
async function startSmsProvider() {
  const server = createServer((req, res) => {
    req.resume();
    res.writeHead(201, { "Content-Type": "application/json" }).end(JSON.stringify({ sid: `SM${randomUUID().replaceAll("-", "")}` }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}

/** Starts the process. `settings` replace its own. */
export async function startWebhookProcess(settings: Record<string, string> = {}) {
  const provider = await startSmsProvider();
  const started = await startServiceProcess("communications", {
    IDENTITY_GRPC: running().grpcAddresses.identity,
    PORTFOLIO_GRPC: running().grpcAddresses.portfolio,
    PUBLIC_URL: publicUrl,
    // The key of the other replicas, since the process also processes the answers that other tests receive.
    COMMUNICATIONS_ENCRYPTION_KEY: readSecrets(running().dataDir).mailEncryptionKey,
    DEV_OUTBOX: "true",
    SMS_PROVIDER_URL: provider.url,
    SMS_PROVIDER_ACCOUNT_ID: "AC1",
    SMS_PROVIDER_AUTH_TOKEN: smsAuthToken,
    SMS_PROVIDER_FROM: "+15185550100",
    CLOUD_EMAIL_TOPIC_ARN: topicArns.email,
    CLOUD_SMS_TOPIC_ARN: topicArns.sms,
    ...webhookSecrets,
    ...settings,
  });
  return {
    ...started,
    async end(signal: "SIGTERM" | "SIGKILL") {
      await started.end(signal);
      provider.close();
    },
  };
}
