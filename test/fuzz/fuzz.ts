/** The fuzzer: lanes side by side over every operation of a document, and what they found. */
import { curlLine } from "./curl.ts";
import { jsonAnswer, type ApiDocument } from "./document/document.ts";
import type { Lane, Tally } from "./lane.ts";
import { drawing } from "./plan.ts";
import { Pool, type Ownership } from "./pool.ts";
import { shrunk } from "./shrink.ts";
import { step } from "./step.ts";
import { judgeBy } from "./document/validate.ts";

export interface Assignment {
  baseUrl: string;
  document: ApiDocument;
  /** For each organization, an access token of each role. */
  callers: Partial<Record<string, string>>[];
  requests: number;
  seed: number;
}

export interface Findings {
  /** The result in one line. */
  line: string;
  /** Each broken promise: a sentence and a curl line. */
  violations: string[];
  tally: Tally;
  /** Operations that never answered 200, with what they answered instead. */
  neverAccepted: string[];
}

/** How many broken promises are shrunk and told. */
const TOLD = 20;

export async function fuzz({ baseUrl, document, callers, requests, seed }: Assignment): Promise<Findings> {
  const tally: Tally = { requests: 0, valid: 0, invalid: 0, foreign: 0, accepted: 0, statuses: new Map(), violations: new Map(), violationCount: 0 };
  const ownership: Ownership = new Map();
  const judge = judgeBy(document);
  const lanes: Lane[] = callers.map((tokens): Lane => {
    const pool = new Pool(document, ownership);
    const surroundings = { judge, ownership, pool };
    return {
      baseUrl,
      document,
      surroundings,
      pool,
      tokens,
      cookies: new Map(),
      templates: new Map(),
      tally,
      strangers: () => lanes.filter((each) => each.pool !== pool),
    };
  });
  await Promise.all(
    lanes.map(async (lane, index) => {
      // Every step has a seed of its own, so that what one draws does not shift what the next one does.
      for (let count = 0; tally.requests < requests; count++) await step(lane, drawing((seed + index * 1_000_003 + count * 7_919) % 2 ** 31));
    }),
  );
  const measured = { ...tally };
  const violations = [];
  for (const { operation, check, sentence, sent, stillBroken } of [...tally.violations.values()].slice(0, TOLD)) {
    const least = stillBroken ? await shrunk(sent, stillBroken) : sent;
    violations.push(`${operation.id} ${sentence} (${check})\n  ${curlLine(baseUrl, least)}`);
  }
  return { line: lineOf(document, measured, seed), violations, tally: measured, neverAccepted: neverAccepted(document, measured) };
}

function lineOf({ operations }: ApiDocument, tally: Tally, seed: number): string {
  const { requests, valid, invalid, accepted, foreign, statuses, violations } = tally;
  const of = (...names: string[]) => [...violations.values()].filter(({ check }) => names.includes(check)).length;
  const named = {
    requests,
    operations: `${operations.filter(({ id }) => statuses.has(id)).length}/${operations.length}`,
    valid,
    invalid,
    accepted,
    foreign,
    undocumented: of("undocumentedStatus", "undocumentedType", "otherThanDescribed"),
    serverErrors: of("serverError", "noAnswer"),
    violations: violations.size,
    seed,
    neverAccepted:
      operations
        .filter(({ id }) => !statuses.get(id)?.has("200"))
        .map(({ id }) => id)
        .join() || "none",
  };
  return Object.entries(named)
    .map(([name, value]) => `${name}=${value}`)
    .join(" ");
}

const neverAccepted = ({ operations }: ApiDocument, { statuses }: Tally): string[] =>
  operations.flatMap((operation) => {
    const of = statuses.get(operation.id) ?? new Map<string, number>();
    const told = [...of].sort(([, a], [, b]) => b - a).map(([status, times]) => `${status} ×${times}`);
    const reason = operation.otherBody
      ? `takes ${operation.otherBody}; `
      : Object.keys(jsonAnswer(operation)?.properties ?? {}).length > 0
        ? ""
        : "nothing is answered by the document; ";
    return of.has("200") ? [] : [`${operation.id} (${reason}${told.join(", ") || "never asked"})`];
  });
