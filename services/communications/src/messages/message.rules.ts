/** Providers of messages, and the retry schedule. */
import type { DeliveryChannel, Status } from "./message.entity.ts";

/** Provider and initial status of a message. */
export interface InitialDelivery {
  provider: "in_app" | "smtp" | "outbox" | "sms";
  status: Status;
  error: string | null;
}

/** Configured providers. */
export interface ConfiguredProviders {
  mailServer: boolean;
  smsProvider: boolean;
  devOutbox: boolean;
}

/**
 * Returns the provider and initial status of a message. Without a mail server or SMS provider, the development outbox takes its place, and
 * without that the message is skipped. A message in the portal is delivered at once.
 */
export function initialDelivery(channel: DeliveryChannel, configured: ConfiguredProviders): InitialDelivery {
  if (channel === "in_app") return { provider: "in_app", status: "delivered", error: null };
  const [provider, isConfigured] = channel === "email" ? (["smtp", configured.mailServer] as const) : (["sms", configured.smsProvider] as const);
  if (isConfigured) return { provider, status: "queued", error: null };
  if (configured.devOutbox) return { provider: "outbox", status: "sent", error: null };
  return { provider, status: "skipped", error: "not_configured" };
}

const RETRY_DELAYS_SECONDS = [60, 300, 1_800, 7_200, 28_800];

/** Returns the delay in seconds after the given number of failed attempts, or undefined after the sixth, which is the last. */
export const retryDelaySeconds = (failedAttempts: number): number | undefined => RETRY_DELAYS_SECONDS[failedAttempts - 1];
