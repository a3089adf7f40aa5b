/** What every answer owes its caller, by the document alone. Each check answers a sentence when it is broken. */
import { idsIn, type Ownership, type Pool } from "./pool.ts";
import { bytesOf, headersOf, targetOf, type Answer, type Sent } from "./request.ts";
import type { Judge } from "./document/validate.ts";

export interface Exchange {
  sent: Sent;
  answer: Answer;
}
export interface Surroundings {
  judge: Judge;
  /** Whose ids are whose, and who asked. */
  ownership: Ownership;
  pool: Pool;
}
export type Check = (exchange: Exchange, surroundings: Surroundings) => string | undefined;

const isItsMethod = ({ method, operation }: Sent): boolean => method === operation.method;
const header = ({ headers }: Answer, name: string): string => String(headers[name] ?? "");
const quote = ({ text }: Answer): string => (text.length > 160 ? `${text.slice(0, 160)}…` : text);
const isError = (json: unknown): json is { code?: string; errors?: { path: string; code: string }[] } => typeof json === "object" && json !== null;
const codeOf = ({ json }: Answer): string | undefined => (isError(json) ? json.code : undefined);

/** The errors that an answer names, field by field. */
export const errorsOf = ({ json }: Answer): { path: string; code: string }[] => (isError(json) ? (json.errors ?? []) : []);

/** Codes that say the request has another form than the document describes; only a valid one may be refused for its meaning. */
const formal = ["unrecognized_key", "type", "enum"];

export const checks = {
  serverError: ({ answer }) =>
    answer.status >= 500 && codeOf(answer) !== "not_configured" ? `answered ${answer.status} to a request that it should judge: ${quote(answer)}` : undefined,

  undocumentedStatus: ({ sent, answer }) =>
    isItsMethod(sent) && !sent.operation.answers.has(answer.status)
      ? `answered ${answer.status}, which the document does not name: ${quote(answer)}`
      : undefined,

  undocumentedType({ sent, answer }) {
    const types = sent.operation.answers.get(answer.status);
    if (!isItsMethod(sent) || !types || types.has(answer.type)) return undefined;
    return `answered ${answer.status} as ${answer.type || "nothing"}, and the document names ${[...types.keys()].join(", ")}`;
  },

  unwantedType({ sent, answer }) {
    const wanted = sent.headers["Accept"];
    return answer.status === 200 && wanted && answer.type !== wanted ? `answered ${answer.type} where ${wanted} was asked for` : undefined;
  },

  otherThanDescribed({ sent, answer }, { judge }) {
    const why = isItsMethod(sent) && judge.wrongAnswer(sent.operation, answer);
    return why ? `answered ${answer.status} with a body that the schema does not allow: ${why}` : undefined;
  },

  requestId: ({ answer }) =>
    header(answer, "x-request-id") === answer.requestId ? undefined : `did not echo X-Request-Id: ${header(answer, "x-request-id") || "there was none"}`,

  carelessHeaders({ answer }) {
    if (header(answer, "cache-control") !== "no-store" && answer.type !== "text/event-stream")
      return `may be stored: Cache-Control is ${header(answer, "cache-control") || "missing"}`;
    if (header(answer, "x-content-type-options") !== "nosniff") return "lacks X-Content-Type-Options: nosniff";
    const told = ["x-powered-by", "server"].find((name) => answer.headers[name] !== undefined);
    return told && `says what it is made of in ${told}`;
  },

  missingAdvice({ sent, answer }) {
    const owed: Record<number, string> = { 401: "www-authenticate", 405: "allow", 429: "retry-after", 503: "retry-after" };
    const name = owed[answer.status];
    if (name && sent.operation.credential !== undefined && answer.headers[name] === undefined) return `answered ${answer.status} without ${name}`;
    if (sent.operation.isDeprecated && answer.status === 200 && !(answer.headers["deprecation"] && answer.headers["sunset"]))
      return "is deprecated and does not say so in Deprecation and Sunset";
    return undefined;
  },

  acceptedInvalid({ sent, answer }, { judge }) {
    const why = answer.status === 200 && isItsMethod(sent) && judge.wrongRequest(sent);
    return why ? `accepted a request that the document does not allow: ${why}` : undefined;
  },

  refusedValid({ sent, answer }, { judge }) {
    if (answer.status !== 400 || !isItsMethod(sent)) return undefined;
    const blamed = errorsOf(answer).find(({ code }) => formal.includes(code));
    return blamed && judge.wrongRequest(sent) === undefined ? `refused the form of a request that the document allows: ${quote(answer)}` : undefined;
  },

  foreignData({ sent, answer }, { ownership, pool }) {
    if (!sent.operation.credential) return undefined;
    const told = idsIn(`${targetOf(sent)} ${String(bytesOf(sent) ?? "")} ${Object.values(headersOf(sent)).join(" ")}`);
    const foreign = [...idsIn(answer.text)].find((id) => !told.has(id) && (ownership.get(id) ?? pool) !== pool);
    return foreign && `told of ${foreign}, which is another organization's`;
  },
} satisfies Record<string, Check>;

export type CheckName = keyof typeof checks;
/** All that is wrong with an answer, by the name of the check. */
export const broken = (exchange: Exchange, surroundings: Surroundings): { check: CheckName; sentence: string }[] =>
  (Object.entries(checks) as [CheckName, Check][]).flatMap(([check, look]) => {
    const sentence = look(exchange, surroundings);
    return sentence ? [{ check, sentence }] : [];
  });

export { quote };
