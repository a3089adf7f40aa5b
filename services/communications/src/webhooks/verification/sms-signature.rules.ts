/** Signatures of the SMS provider: base64 HMAC-SHA1 over the full URL and the sorted form parameters, in the scheme of Twilio. */
import { createHash, createHmac } from "node:crypto";
import { isEqual } from "./equal.ts";
import { queryOf, webhookHeader, type WebhookRequest } from "./webhook-request.ts";

const DEFAULT_PORTS: Record<string, string> = { "https:": "443", "http:": "80" };

/** Returns the signature of a form that is sent to a URL. Equal values of one parameter count once. */
export function smsSignature(authToken: string, url: string, form: URLSearchParams): string {
  const names = [...new Set(form.keys())].sort();
  const signed = names.flatMap((name) => [...new Set(form.getAll(name))].sort().map((value) => `${name}${value}`));
  return createHmac("sha1", authToken)
    .update(`${url}${signed.join("")}`)
    .digest("base64");
}

/** Returns the parameters of a form. */
export const formOf = ({ body }: Pick<WebhookRequest, "body">): URLSearchParams => new URLSearchParams(body.toString());

/**
 * Tells whether the auth token has signed a request to the public URL. A body other than a form is signed by its SHA-256 in the query
 * parameter `bodySHA256`. The provider may sign the URL with or without its port.
 */
export function hasSmsSignature(authToken: string, publicUrl: string, request: WebhookRequest): boolean {
  const signature = webhookHeader(request, "X-Sms-Signature");
  if (signature === undefined) return false;
  const bodyDigest = queryOf(request).get("bodySHA256");
  if (bodyDigest !== null && !isEqual(bodyDigest, createHash("sha256").update(request.body).digest("hex"))) return false;
  const form = bodyDigest === null ? formOf(request) : new URLSearchParams();
  return spellingsOf(`${publicUrl}${request.target}`).some((url) => isEqual(smsSignature(authToken, url, form), signature));
}

/** Returns a URL as it is, without its port, and with the default port of its scheme where it has none. */
function spellingsOf(url: string): string[] {
  const [, scheme = "", host = "", port = "", rest = ""] = /^(https?:)\/\/([^/:?#]*|\[[^\]]*\])(?::(\d+))?(.*)$/s.exec(url) ?? [];
  return [url, port === "" ? `${scheme}//${host}:${DEFAULT_PORTS[scheme]}${rest}` : `${scheme}//${host}${rest}`];
}
