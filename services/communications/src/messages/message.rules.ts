/** Where a message goes, and when one that could not go is tried again. */
import type { Channel, Status } from "./message.entity.ts";

export interface InitialDelivery {
  provider: "smtp" | "outbox" | "sms";
  status: Status;
  error: string | null;
}

/** Which way a message takes with what this deployment has; one that has no way is skipped and says so. */
export function initialDelivery(channel: Channel, has: { mailServer: boolean; outbox: boolean }): InitialDelivery {
  if (channel === "sms") return { provider: "sms", status: "skipped", error: "not_configured" };
  if (has.mailServer) return { provider: "smtp", status: "queued", error: null };
  if (has.outbox) return { provider: "outbox", status: "sent", error: null };
  return { provider: "smtp", status: "skipped", error: "not_configured" };
}

const PAUSES_SECONDS = [60, 300, 1_800, 7_200, 28_800];

/** Seconds until the next attempt after so many that failed; nothing when it is time to give up. */
export const retryDelaySeconds = (attempts: number): number | undefined => PAUSES_SECONDS[attempts - 1];
