/** Metric of the e-mails and text messages of all organizations. */
import type { Metrics } from "@freehold/kit/observability/metrics";
import { channels, type Channel } from "./message.entity.ts";

/** Outcomes of an attempt to send a message. A `delayed` one is followed by another attempt. */
const outcomes = ["sent", "delayed", "failed", "skipped"] as const;

export type CountMessage = (channel: Channel, outcome: (typeof outcomes)[number]) => void;

/** Registers the counter of messages. */
export function registerMessageCounter(metrics: Pick<Metrics, "counter">): CountMessage {
  const count = metrics.counter("freehold_messages_total", "E-mails and text messages, by channel and outcome of each attempt", {
    channel: channels,
    outcome: outcomes,
  });
  return (channel, outcome) => count({ channel, outcome });
}
