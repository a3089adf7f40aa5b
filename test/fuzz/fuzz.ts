/** The fuzzer: concurrent sessions send requests to every operation of an OpenAPI document and collect violations. */
import { curlLine } from "./curl.ts";
import { responseSchema, type ApiDocument } from "./document/document.ts";
import type { Session, Tally } from "./session.ts";
import { createDraw } from "./plan.ts";
import { Pool, type Ownership } from "./pool.ts";
import { shrinkRequest } from "./shrink.ts";
import { step } from "./step.ts";
import { createValidator } from "./document/validate.ts";

export interface FuzzOptions {
  baseUrl: string;
  document: ApiDocument;
  /** Access tokens by role, for each organization. */
  callers: Partial<Record<string, string>>[];
  /** Minimum number of requests; follow-up requests of the last steps may exceed it. */
  requests: number;
  seed: number;
}

export interface FuzzResult {
  /** Result as one line. */
  line: string;
  /** Violations, each as a sentence and a curl command. */
  violations: string[];
  tally: Tally;
  /** Operations that returned 200 to no valid request, with the statuses that they returned. */
  neverAccepted: string[];
}

/** Maximum violations that are shrunk and reported. */
const MAX_REPORTED = 20;

export async function fuzz({ baseUrl, document, callers, requests, seed }: FuzzOptions): Promise<FuzzResult> {
  const tally: Tally = { requests: 0, valid: 0, invalid: 0, foreign: 0, accepted: 0, statuses: new Map(), violations: new Map() };
  const ownership: Ownership = new Map();
  const validator = createValidator(document);
  const sessions: Session[] = callers.map((tokens): Session => {
    const pool = new Pool(document, ownership);
    const checkContext = { validator, ownership, pool };
    return {
      baseUrl,
      document,
      checkContext,
      pool,
      tokens,
      cookies: new Map(),
      templates: new Map(),
      tally,
      otherSessions: () => sessions.filter((session) => session.pool !== pool),
    };
  });
  await Promise.all(
    sessions.map(async (session, index) => {
      // Every step has its own seed, so that the draws of a step do not affect the next.
      for (let count = 0; tally.requests < requests; count++) await step(session, createDraw((seed + index * 1_000_003 + count * 7_919) % 2 ** 31));
    }),
  );
  const finalTally = { ...tally };
  const violations = [];
  for (const { operation, check, sentence, request, isReproducedBy } of [...tally.violations.values()].slice(0, MAX_REPORTED)) {
    const smallest = isReproducedBy ? await shrinkRequest(request, isReproducedBy) : request;
    violations.push(`${operation.id} ${sentence} (${check})\n  ${curlLine(baseUrl, smallest)}`);
  }
  return { line: formatResult(document, finalTally, seed), violations, tally: finalTally, neverAccepted: findNeverAccepted(document, finalTally) };
}

function formatResult({ operations }: ApiDocument, tally: Tally, seed: number): string {
  const { requests, valid, invalid, accepted, foreign, statuses, violations } = tally;
  const countViolations = (...names: string[]) => [...violations.values()].filter(({ check }) => names.includes(check)).length;
  const results = {
    requests,
    operations: `${operations.filter(({ id }) => statuses.has(id)).length}/${operations.length}`,
    valid,
    invalid,
    accepted,
    foreign,
    undocumented: countViolations("undocumentedStatus", "undocumentedContentType", "schemaMismatch"),
    serverErrors: countViolations("serverError", "noResponse"),
    violations: violations.size,
    seed,
    neverAccepted:
      operations
        .filter(({ id }) => !statuses.get(id)?.has("200"))
        .map(({ id }) => id)
        .join() || "none",
  };
  return Object.entries(results)
    .map(([name, value]) => `${name}=${value}`)
    .join(" ");
}

const findNeverAccepted = ({ operations }: ApiDocument, { statuses }: Tally): string[] =>
  operations.flatMap((operation) => {
    const statusCounts = statuses.get(operation.id) ?? new Map<string, number>();
    const counts = [...statusCounts].sort(([, a], [, b]) => b - a).map(([status, times]) => `${status} ×${times}`);
    const reason = operation.nonJsonBodyType
      ? `takes ${operation.nonJsonBodyType}; `
      : Object.keys(responseSchema(operation)?.properties ?? {}).length > 0
        ? ""
        : "the document has no response schema; ";
    return statusCounts.has("200") ? [] : [`${operation.id} (${reason}${counts.join(", ") || "never called"})`];
  });
