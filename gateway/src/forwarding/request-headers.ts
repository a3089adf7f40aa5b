/** Headers of forwarded requests. They are rebuilt from a list of names, so that no other header of a client reaches a service. */
import { ASSERTION_HEADER, REQUEST_HEADER } from "@freehold/kit/auth/assertion";
import { TRACE_HEADER, traceParent } from "@freehold/kit/observability/tracing";
import type { Operation, Service } from "@freehold/contract/operation";
import type { IncomingHttpHeaders } from "node:http";

/** Headers that services read for every operation. Others are those that the contract names for one. */
const COMMON_HEADERS = [
  "accept",
  "accept-language",
  "content-encoding",
  "content-type",
  "idempotency-key",
  "if-match",
  "if-none-match",
  "if-range",
  "range",
  "sec-fetch-site",
  "user-agent",
] as const;

/**
 * Returns the headers of the request to the service: the client's listed ones, the request id, the assertion and the trace. The
 * client's own authentication is for the gateway, except where an OAuth client authenticates the form of a token request. Cookies are for identity.
 */
export function forwardedHeaders(
  clientHeaders: IncomingHttpHeaders,
  { headers: ofOperation, form }: Pick<Operation, "headers" | "form">,
  { service, assertion, requestId }: { service: Service; assertion: string; requestId: string },
): Record<string, string> {
  const headers: Record<string, string> = { [REQUEST_HEADER]: requestId, [ASSERTION_HEADER]: assertion };
  const trace = traceParent();
  if (trace) headers[TRACE_HEADER] = trace;
  const credentials = [...(service === "identity" ? ["cookie"] : []), ...(form ? ["authorization"] : [])];
  const names = [...COMMON_HEADERS, ...Object.keys(ofOperation?.shape ?? {}).map((name) => name.toLowerCase()), ...credentials];
  for (const name of names) {
    const value = clientHeaders[name];
    if (typeof value === "string") headers[name] = value;
  }
  return headers;
}
