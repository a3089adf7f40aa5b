/** Received webhooks, as their verifiers read them. */
import { webhookHeaders, type WebhookHeader } from "@freehold/contract/communications/webhooks";
import type { IncomingHttpHeaders } from "node:http";

/** Request of a provider, not verified yet. */
export interface WebhookRequest {
  /** Path and query as they were sent. */
  target: string;
  headers: IncomingHttpHeaders;
  /** Bytes of the body as they were sent. */
  body: Buffer;
  /** Time of the receipt, in milliseconds since the epoch. */
  receivedAtMs: number;
}

/** Maximum difference between the time of a signature and the current time, in both directions. */
export const TOLERANCE_SECONDS = 300;

/** Returns the value of a webhook header by its name, or else by the name that a well-known provider uses. */
export function webhookHeader({ headers }: Pick<WebhookRequest, "headers">, name: WebhookHeader): string | undefined {
  const value = headers[name.toLowerCase()] ?? headers[webhookHeaders[name].toLowerCase()];
  return typeof value === "string" ? value : undefined;
}

/** Tells whether a Unix time in seconds, as text, is within the tolerance. */
export function isRecent(timestamp: string, receivedAtMs: number): boolean {
  return /^\d{1,12}$/.test(timestamp) && Math.abs(Math.floor(receivedAtMs / 1_000) - Number(timestamp)) <= TOLERANCE_SECONDS;
}

/** Returns the query parameters of a request. */
export const queryOf = ({ target }: Pick<WebhookRequest, "target">): URLSearchParams => new URLSearchParams(target.split("?").slice(1).join("?"));
