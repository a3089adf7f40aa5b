/** Providers of messages, and the retry schedule of e-mail. */
import type { Channel, Status } from "./message.entity.ts";

/** Provider and initial status of a message. */
export interface InitialDelivery {
  provider: "smtp" | "outbox" | "sms";
  status: Status;
  error: string | null;
}

/**
 * Returns the provider and initial status of a message. An e-mail is skipped without a mail server or development outbox, and a
 * text message always, because there is no SMS provider.
 */
export function initialDelivery(channel: Channel, configured: { mailServer: boolean; devOutbox: boolean }): InitialDelivery {
  if (channel === "sms") return { provider: "sms", status: "skipped", error: "not_configured" };
  if (configured.mailServer) return { provider: "smtp", status: "queued", error: null };
  if (configured.devOutbox) return { provider: "outbox", status: "sent", error: null };
  return { provider: "smtp", status: "skipped", error: "not_configured" };
}

const RETRY_DELAYS_SECONDS = [60, 300, 1_800, 7_200, 28_800];

/** Returns the delay in seconds after the given number of failed attempts, or undefined after the sixth, which is the last. */
export const retryDelaySeconds = (failedAttempts: number): number | undefined => RETRY_DELAYS_SECONDS[failedAttempts - 1];
