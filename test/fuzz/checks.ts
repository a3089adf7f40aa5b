/** Checks of a response against the OpenAPI document and general rules. Each returns a sentence if the response violates it. */
import { idsIn, type Ownership, type Pool } from "./pool.ts";
import { bytesOf, headersOf, targetOf, type FuzzResponse, type FuzzRequest } from "./request.ts";
import type { Validator } from "./document/validate.ts";

export interface ExchangeRecord {
  request: FuzzRequest;
  response: FuzzResponse;
}
export interface CheckContext {
  validator: Validator;
  /** Organization of each id, to detect foreign data. */
  ownership: Ownership;
  pool: Pool;
}
export type Check = (exchange: ExchangeRecord, context: CheckContext) => string | undefined;

const usesOperationMethod = ({ method, operation }: FuzzRequest): boolean => method === operation.method;
const header = ({ headers }: FuzzResponse, name: string): string => String(headers[name] ?? "");
export const excerptOf = ({ text }: FuzzResponse): string => (text.length > 160 ? `${text.slice(0, 160)}…` : text);
const isError = (json: unknown): json is { code?: string; errors?: { path: string; code: string }[] } => typeof json === "object" && json !== null;
const codeOf = ({ json }: FuzzResponse): string | undefined => (isError(json) ? json.code : undefined);

/** Tells whether a response reports the health of the system, which may be down for a moment when it is busy. */
const isHealthReport = ({ status, json }: FuzzResponse): boolean => status === 503 && typeof json === "object" && json !== null && "checks" in json;

/** Returns the field errors of a response. */
export const errorsOf = ({ json }: FuzzResponse): { path: string; code: string }[] => (isError(json) ? (json.errors ?? []) : []);

/** Reports whether a successful response contains the errors of a part of its request. */
const reportsErrors = ({ json }: FuzzResponse): boolean => ((json as { errors?: unknown[] } | undefined)?.errors ?? []).length > 0;

/** Error codes of requests that do not match their schema. A valid request may only be refused with other codes. */
const schemaErrorCodes = ["unrecognized_key", "type", "enum"];

export const checks = {
  serverError: ({ response }) =>
    response.status >= 500 && codeOf(response) !== "not_configured" && !isHealthReport(response)
      ? `returned ${response.status} instead of a documented status: ${excerptOf(response)}`
      : undefined,

  undocumentedStatus: ({ request, response }) =>
    usesOperationMethod(request) && !request.operation.responses.has(response.status)
      ? `returned ${response.status}, which the document does not list: ${excerptOf(response)}`
      : undefined,

  undocumentedContentType({ request, response }) {
    const types = request.operation.responses.get(response.status);
    if (!usesOperationMethod(request) || !types || types.has(response.type)) return undefined;
    return `returned ${response.status} as ${response.type || "nothing"}, but the document lists ${[...types.keys()].join(", ")}`;
  },

  acceptIgnored({ request, response }) {
    const accept = request.headers["Accept"];
    const isOverridden = request.query["format"] !== undefined;
    return response.status === 200 && accept && !isOverridden && response.type !== accept
      ? `returned ${response.type} although ${accept} was requested`
      : undefined;
  },

  schemaMismatch({ request, response }, { validator }) {
    const error = usesOperationMethod(request) && validator.findResponseError(request.operation, response);
    return error ? `returned ${response.status} with a body that the schema does not allow: ${error}` : undefined;
  },

  requestIdNotEchoed: ({ response }) =>
    header(response, "x-request-id") === response.requestId ? undefined : `did not echo X-Request-Id: ${header(response, "x-request-id") || "it was missing"}`,

  insecureHeaders({ response }) {
    if (header(response, "cache-control") !== "no-store" && response.type !== "text/event-stream")
      return `may be stored: Cache-Control is ${header(response, "cache-control") || "missing"}`;
    if (header(response, "x-content-type-options") !== "nosniff") return "lacks X-Content-Type-Options: nosniff";
    const exposing = ["x-powered-by", "server"].find((name) => response.headers[name] !== undefined);
    return exposing && `exposes the server software in ${exposing}`;
  },

  missingHeader({ request, response }) {
    const requiredHeaders: Record<number, string> = { 401: "www-authenticate", 405: "allow", 429: "retry-after", 503: "retry-after" };
    const name = requiredHeaders[response.status];
    if (name && request.operation.credential !== undefined && response.headers[name] === undefined) return `returned ${response.status} without ${name}`;
    if (request.operation.isDeprecated && response.status === 200 && !(response.headers["deprecation"] && response.headers["sunset"]))
      return "is deprecated but lacks the headers Deprecation and Sunset";
    return undefined;
  },

  acceptedInvalid({ request, response }, { validator }) {
    // An operation on many resources accepts a request in part and reports the invalid ones.
    if (response.status !== 200 || reportsErrors(response) || !usesOperationMethod(request)) return undefined;
    const error = validator.findRequestError(request);
    return error ? `accepted a request that the document does not allow: ${error}` : undefined;
  },

  refusedValid({ request, response }, { validator }) {
    if (response.status !== 400 || !usesOperationMethod(request)) return undefined;
    // A schema that responses share is open in the document, so that they can gain members; requests refuse unknown members in it.
    const isUnknownMember = ({ path, code }: { path: string; code: string }) => code === "unrecognized_key" && path.includes(".");
    const schemaError = errorsOf(response).find((error) => schemaErrorCodes.includes(error.code) && !isUnknownMember(error));
    return schemaError && validator.findRequestError(request) === undefined ? `refused a request that matches its schema: ${excerptOf(response)}` : undefined;
  },

  foreignDataExposed({ request, response }, { ownership, pool }) {
    if (!request.operation.credential) return undefined;
    const requestIds = idsIn(`${targetOf(request)} ${String(bytesOf(request) ?? "")} ${Object.values(headersOf(request)).join(" ")}`);
    const foreign = [...idsIn(response.text)].find((id) => !requestIds.has(id) && (ownership.get(id) ?? pool) !== pool);
    return foreign && `exposed ${foreign}, an id of another organization`;
  },
} satisfies Record<string, Check>;

export type CheckName = keyof typeof checks;
/** Returns the violations of a response with the names of the checks. */
export const runChecks = (exchange: ExchangeRecord, context: CheckContext): { check: CheckName; sentence: string }[] =>
  (Object.entries(checks) as [CheckName, Check][]).flatMap(([check, findViolation]) => {
    const sentence = findViolation(exchange, context);
    return sentence ? [{ check, sentence }] : [];
  });
