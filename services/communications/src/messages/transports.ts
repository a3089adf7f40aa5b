/** Configured transports of messages. */
import { ApiError } from "@freehold/kit/errors";
import type { DevOutbox } from "./dev-outbox.ts";
import type { Mailer } from "./mailer.ts";
import type { Channel, DeliveryChannel } from "./message.entity.ts";
import type { ConfiguredProviders } from "./message.rules.ts";
import type { SmsProvider } from "./sms-provider.ts";

/** Sender addresses and the configured transports of messages. */
export interface MessageTransports {
  /** Sender of e-mails. */
  from: string;
  mailer: Mailer | undefined;
  sms?: SmsProvider | undefined;
  devOutbox: DevOutbox | undefined;
}

/** Sender of text messages in the development outbox. */
const OUTBOX_SMS_SENDER = "Freehold";

export const configuredProviders = ({ mailer, sms, devOutbox }: MessageTransports): ConfiguredProviders => ({
  mailServer: mailer !== undefined,
  smsProvider: sms !== undefined,
  devOutbox: devOutbox !== undefined,
});

/** Returns the sender of messages on a channel; empty for the portal. */
export const senderOf = ({ from, sms }: MessageTransports, channel: DeliveryChannel): string =>
  channel === "in_app" ? "" : channel === "email" ? from : (sms?.from ?? OUTBOX_SMS_SENDER);

const missingSettings: Record<Channel, string> = {
  email: "E-mail is not configured. Ask the operator to set SMTP_URL.",
  sms: "Text messages are not configured. Ask the operator to set SMS_PROVIDER_ACCOUNT_ID, SMS_PROVIDER_AUTH_TOKEN and SMS_PROVIDER_FROM.",
};

/** Throws 503 `not_configured` unless messages can be sent on the channel. */
export function requireTransport(transports: MessageTransports, channel: DeliveryChannel): void {
  const { mailServer, smsProvider, devOutbox } = configuredProviders(transports);
  if (channel === "in_app" || devOutbox || (channel === "email" ? mailServer : smsProvider)) return;
  throw new ApiError(503, missingSettings[channel], { code: "not_configured" });
}
