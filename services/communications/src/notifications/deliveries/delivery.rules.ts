/** Decisions on a delivery that is due. */
import type { NotificationChannel, NotificationPriority } from "@freehold/contract/communications/notification-types";
import type { EffectivePreference } from "../preferences/preference.rules.ts";

/** State of a due delivery. */
export interface DueDelivery {
  channel: NotificationChannel;
  priority: NotificationPriority;
  isRead: boolean;
  preference: EffectivePreference;
  /** End of the recipient's quiet hours, or null outside of them. */
  quietUntil: Date | null;
  /** Time until which the notification counts further events, or null. */
  countsUntil: Date | null;
}

export type DeliveryDecision = { action: "send" | "digest" } | { action: "wait"; until: Date } | { action: "skip"; reason: "turned_off" | "read" };

/**
 * Decides on an immediate delivery that is due: it is skipped when its channel was turned off or its notification was read meanwhile, moved to
 * the digest when the user has chosen it since, and waits until its notification counts no further events, and for the end of the quiet hours unless it is urgent.
 */
export function decideDelivery({ channel, priority, isRead, preference, quietUntil, countsUntil }: DueDelivery): DeliveryDecision {
  if (!preference.channels.includes(channel)) return { action: "skip", reason: "turned_off" };
  if (isRead) return { action: "skip", reason: "read" };
  if (countsUntil) return { action: "wait", until: countsUntil };
  if (quietUntil && priority !== "urgent") return { action: "wait", until: quietUntil };
  return { action: channel === "email" && preference.deliveryMode === "daily_digest" ? "digest" : "send" };
}
