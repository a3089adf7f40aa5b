/** HTTP client of the SMS provider. */
import type { Logger } from "@freehold/kit/observability/log";
import type { SendResult } from "../mailer.ts";

/** Text message to one recipient. */
export interface Sms {
  id: string;
  /** Phone number in E.164. */
  to: string;
  text: string;
}

/** Transport of text messages. */
export interface SmsProvider {
  /** Phone number of the sender. */
  from: string;
  /** Sends one text message. Never throws. */
  send(sms: Sms): Promise<SendResult>;
}

export interface SmsProviderSettings {
  url: string;
  accountId: string;
  authToken: string;
  from: string;
  /** URL to which the provider reports the status of messages; undefined for none. */
  statusUrl?: string | undefined;
}

const TIMEOUT_MS = 15_000;
const MAX_RETRY_AFTER_SECONDS = 3_600;

/** Error of a message whose request may have reached the provider. It is not sent again, because the recipient could get it twice. */
export const UNCONFIRMED = "unconfirmed";
/** Error of a message to a phone number that opted out at the provider. */
export const OPTED_OUT = "opted_out";
const OPTED_OUT_CODE = 21610;

/** Errors of a connection that was not made, so that the provider did not get the request. */
const UNREACHED = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "UND_ERR_CONNECT_TIMEOUT"]);

/** Creates a client of the SMS provider. `timeoutMs` limits a request with its response. */
export function smsProvider({ url, accountId, authToken, from, statusUrl }: SmsProviderSettings, log: Logger, timeoutMs = TIMEOUT_MS): SmsProvider {
  const endpoint = `${url.replace(/\/$/, "")}/2010-04-01/Accounts/${encodeURIComponent(accountId)}/Messages.json`;
  const authorization = `Basic ${Buffer.from(`${accountId}:${authToken}`).toString("base64")}`;
  return {
    from,
    async send({ id, to, text }) {
      const form = new URLSearchParams({ To: to, From: from, Body: text, ...(statusUrl !== undefined && { StatusCallback: statusUrl }) });
      const result = await post(endpoint, authorization, form, timeoutMs);
      if (result.status !== "sent") log.warn({ messageId: id, outcome: result.error }, "a text message could not be sent");
      return result;
    },
  };
}

async function post(endpoint: string, authorization: string, form: URLSearchParams, timeoutMs: number): Promise<SendResult> {
  const signal = AbortSignal.timeout(timeoutMs);
  let response: Response;
  try {
    response = await fetch(endpoint, { method: "POST", headers: { Authorization: authorization }, body: form, redirect: "error", signal });
  } catch (error) {
    const { code } = ((error as Error).cause ?? {}) as { code?: string };
    return code !== undefined && UNREACHED.has(code) ? { status: "delayed", error: "unreachable" } : { status: "failed", error: UNCONFIRMED };
  }
  // A response that breaks off keeps its status.
  const body = (await response.json().catch(() => ({}))) as { sid?: string; code?: number };
  return resultOf(response, body);
}

/** Classifies a response: accepted, refused for good, or to be tried again later. */
function resultOf({ ok, status, headers }: Response, { sid, code }: { sid?: string; code?: number }): SendResult {
  if (ok) return { status: "sent", error: null, providerMessageId: typeof sid === "string" ? sid : null };
  if (status === 429 || status === 503)
    return { status: "delayed", error: `delayed_${status}`, retryAfterSeconds: retryAfterSeconds(headers.get("retry-after")) };
  // A proxy in front of the provider does not know whether the request took effect.
  if (status === 502 || status === 504) return { status: "failed", error: UNCONFIRMED };
  // Wrong credentials are corrected by the operator.
  if (status >= 500 || status === 401 || status === 403) return { status: "delayed", error: `delayed_${status}` };
  return { status: "failed", error: code === OPTED_OUT_CODE ? OPTED_OUT : `rejected_${code ?? status}` };
}

/** Returns the seconds of a header `Retry-After`, which has seconds or a date, at most an hour; zero without one. */
function retryAfterSeconds(header: string | null): number {
  if (header === null) return 0;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1_000;
  return Number.isFinite(seconds) ? Math.min(Math.max(0, Math.ceil(seconds)), MAX_RETRY_AFTER_SECONDS) : 0;
}
