/** Checks of every response against the OpenAPI document and general rules. Each returns a sentence if violated. */
import { idsIn, type Ownership, type Pool } from "./pool.ts";
import { bytesOf, headersOf, targetOf, type FuzzResponse, type FuzzRequest } from "./request.ts";
import type { Validator } from "./document/validate.ts";

export interface ExchangeRecord {
  sent: FuzzRequest;
  response: FuzzResponse;
}
export interface CheckContext {
  judge: Validator;
  /** Organization of each id, to detect foreign data. */
  ownership: Ownership;
  pool: Pool;
}
export type Check = (exchange: ExchangeRecord, context: CheckContext) => string | undefined;

const isItsMethod = ({ method, operation }: FuzzRequest): boolean => method === operation.method;
const header = ({ headers }: FuzzResponse, name: string): string => String(headers[name] ?? "");
const quote = ({ text }: FuzzResponse): string => (text.length > 160 ? `${text.slice(0, 160)}…` : text);
const isError = (json: unknown): json is { code?: string; errors?: { path: string; code: string }[] } => typeof json === "object" && json !== null;
const codeOf = ({ json }: FuzzResponse): string | undefined => (isError(json) ? json.code : undefined);

/** Returns the field errors of a response. */
export const errorsOf = ({ json }: FuzzResponse): { path: string; code: string }[] => (isError(json) ? (json.errors ?? []) : []);

/** Error codes of requests that do not match their schema. A valid request may only be refused with other codes. */
const schemaErrorCodes = ["unrecognized_key", "type", "enum"];

export const checks = {
  serverError: ({ response }) =>
    response.status >= 500 && codeOf(response) !== "not_configured"
      ? `answered ${response.status} instead of a documented status: ${quote(response)}`
      : undefined,

  undocumentedStatus: ({ sent, response }) =>
    isItsMethod(sent) && !sent.operation.answers.has(response.status)
      ? `answered ${response.status}, which the document does not list: ${quote(response)}`
      : undefined,

  undocumentedType({ sent, response }) {
    const types = sent.operation.answers.get(response.status);
    if (!isItsMethod(sent) || !types || types.has(response.type)) return undefined;
    return `answered ${response.status} as ${response.type || "nothing"}, but the document lists ${[...types.keys()].join(", ")}`;
  },

  unwantedType({ sent, response }) {
    const wanted = sent.headers["Accept"];
    return response.status === 200 && wanted && response.type !== wanted ? `answered ${response.type} although ${wanted} was requested` : undefined;
  },

  otherThanDescribed({ sent, response }, { judge }) {
    const why = isItsMethod(sent) && judge.findResponseError(sent.operation, response);
    return why ? `answered ${response.status} with a body that the schema does not allow: ${why}` : undefined;
  },

  requestId: ({ response }) =>
    header(response, "x-request-id") === response.requestId ? undefined : `did not echo X-Request-Id: ${header(response, "x-request-id") || "it was missing"}`,

  carelessHeaders({ response }) {
    if (header(response, "cache-control") !== "no-store" && response.type !== "text/event-stream")
      return `may be stored: Cache-Control is ${header(response, "cache-control") || "missing"}`;
    if (header(response, "x-content-type-options") !== "nosniff") return "lacks X-Content-Type-Options: nosniff";
    const found = ["x-powered-by", "server"].find((name) => response.headers[name] !== undefined);
    return found && `exposes the server software in ${found}`;
  },

  missingAdvice({ sent, response }) {
    const owed: Record<number, string> = { 401: "www-authenticate", 405: "allow", 429: "retry-after", 503: "retry-after" };
    const name = owed[response.status];
    if (name && sent.operation.credential !== undefined && response.headers[name] === undefined) return `answered ${response.status} without ${name}`;
    if (sent.operation.isDeprecated && response.status === 200 && !(response.headers["deprecation"] && response.headers["sunset"]))
      return "is deprecated but lacks the headers Deprecation and Sunset";
    return undefined;
  },

  acceptedInvalid({ sent, response }, { judge }) {
    const why = response.status === 200 && isItsMethod(sent) && judge.findRequestError(sent);
    return why ? `accepted a request that the document does not allow: ${why}` : undefined;
  },

  refusedValid({ sent, response }, { judge }) {
    if (response.status !== 400 || !isItsMethod(sent)) return undefined;
    const blamed = errorsOf(response).find(({ code }) => schemaErrorCodes.includes(code));
    return blamed && judge.findRequestError(sent) === undefined ? `refused a request that matches its schema: ${quote(response)}` : undefined;
  },

  foreignData({ sent, response }, { ownership, pool }) {
    if (!sent.operation.credential) return undefined;
    const found = idsIn(`${targetOf(sent)} ${String(bytesOf(sent) ?? "")} ${Object.values(headersOf(sent)).join(" ")}`);
    const foreign = [...idsIn(response.text)].find((id) => !found.has(id) && (ownership.get(id) ?? pool) !== pool);
    return foreign && `exposed ${foreign}, an id of another organization`;
  },
} satisfies Record<string, Check>;

export type CheckName = keyof typeof checks;
/** Returns the violations of a response with the names of the checks. */
export const runChecks = (exchange: ExchangeRecord, context: CheckContext): { check: CheckName; sentence: string }[] =>
  (Object.entries(checks) as [CheckName, Check][]).flatMap(([check, look]) => {
    const sentence = look(exchange, context);
    return sentence ? [{ check, sentence }] : [];
  });

export { quote };
