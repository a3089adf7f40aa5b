/** Process of communications with the secrets of all webhook receivers, for tests that send as the providers do. */
import { randomBytes } from "node:crypto";
import { startServiceProcess, UNREACHABLE_ADDRESS } from "../../../test/support/service-process.ts";
import { webhookSecrets } from "../../../test/support/settings.ts";
import { running } from "../../../test/support/running.ts";

export const smsAuthToken = "auth token of the tests";
export const publicUrl = "https://office.example";
export const topicArns = { email: "arn:aws:sns:us-east-1:123456789012:emails", sms: "arn:aws:sns:us-east-1:123456789012:texts" };

/** Starts the process. `settings` replace its own. */
export const startWebhookProcess = (settings: Record<string, string> = {}) =>
  startServiceProcess("communications", {
    IDENTITY_GRPC: running().grpcAddresses.identity,
    PORTFOLIO_GRPC: running().grpcAddresses.portfolio,
    PUBLIC_URL: publicUrl,
    COMMUNICATIONS_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
    DEV_OUTBOX: "true",
    SMS_PROVIDER_URL: `http://${UNREACHABLE_ADDRESS}`,
    SMS_PROVIDER_ACCOUNT_ID: "AC1",
    SMS_PROVIDER_AUTH_TOKEN: smsAuthToken,
    SMS_PROVIDER_FROM: "+15185550100",
    CLOUD_EMAIL_TOPIC_ARN: topicArns.email,
    CLOUD_SMS_TOPIC_ARN: topicArns.sms,
    ...webhookSecrets,
    ...settings,
  });
