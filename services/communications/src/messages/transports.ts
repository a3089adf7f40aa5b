/** Configured transports of messages. */
import { ApiError } from "@freehold/kit/errors";
import type { DevOutbox } from "./dev-outbox.ts";
import type { Mailer } from "./mailer.ts";
import type { Channel, DeliveryChannel } from "./message.entity.ts";
import type { ConfiguredProviders } from "./message.rules.ts";

/** Sender addresses and the configured transports of messages. */
export interface MessageTransports {
  /** Sender of e-mails. */
  from: string;
  mailer: Mailer | undefined;
  devOutbox: DevOutbox | undefined;
}

/** Sender of text messages in the development outbox. */
const OUTBOX_SMS_SENDER = "Freehold";

export const configuredProviders = ({ mailer, devOutbox }: MessageTransports): ConfiguredProviders => ({
  mailServer: mailer !== undefined,
  smsProvider: false,
  devOutbox: devOutbox !== undefined,
});

/** Returns the sender of messages on a channel; empty for the portal. */
export const senderOf = ({ from }: MessageTransports, channel: DeliveryChannel): string =>
  channel === "in_app" ? "" : channel === "email" ? from : OUTBOX_SMS_SENDER;

const settingsOf: Record<Channel, string> = { email: "E-mail is not configured. Ask the operator to set SMTP_URL.", sms: "Text messages are not configured." };

/** Throws 503 `not_configured` unless messages can be sent on the channel. */
export function requireTransport(transports: MessageTransports, channel: DeliveryChannel): void {
  const { mailServer, smsProvider, devOutbox } = configuredProviders(transports);
  if (channel === "in_app" || devOutbox || (channel === "email" ? mailServer : smsProvider)) return;
  throw new ApiError(503, settingsOf[channel], { code: "not_configured" });
}
