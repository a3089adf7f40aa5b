/** One organization that is asked one thing after another. Lanes run side by side and are strangers to each other. */
import fc from "fast-check";
import { broken, checks, type CheckName, type Surroundings } from "./checks.ts";
import type { ApiDocument, Operation } from "./document/document.ts";
import type { Draw, Plan } from "./plan.ts";
import type { Pool } from "./pool.ts";
import { exchange, type Answer, type Sent } from "./request.ts";

/** Something that an answer broke, and how to see whether a smaller request breaks it too. */
export interface Violation {
  operation: Operation;
  check: string;
  sentence: string;
  sent: Sent;
  stillBroken?: (sent: Sent) => Promise<boolean>;
}

/** What is told at the end, summed over all lanes. */
export interface Tally {
  requests: number;
  valid: number;
  invalid: number;
  foreign: number;
  accepted: number;
  /** How often each operation answered each status to a request that the document allows. */
  statuses: Map<string, Map<string, number>>;
  /** The first of each operation and check. */
  violations: Map<string, Violation>;
  violationCount: number;
}

export type Intent = "valid" | "invalid" | "foreign";

export interface Lane {
  baseUrl: string;
  document: ApiDocument;
  surroundings: Surroundings;
  pool: Pool;
  /** An access token for each role. */
  tokens: Partial<Record<string, string>>;
  /** Kept and sent back to operations without a token, as a browser does. */
  cookies: Map<string, string>;
  /** What was accepted, to be varied. */
  templates: Map<string, Plan[]>;
  tally: Tally;
  strangers: () => Lane[];
}

export function report(lane: Lane, violation: Violation): void {
  lane.tally.violationCount++;
  const key = `${violation.operation.id} ${violation.check}`;
  if (!lane.tally.violations.has(key)) lane.tally.violations.set(key, violation);
}

/** Sends a request, holds its answer against every check, and learns from it. */
export async function ask(lane: Lane, sent: Sent, intent: Intent): Promise<Answer> {
  const { tally, baseUrl, surroundings } = lane;
  tally.requests++;
  tally[intent]++;
  let answer: Answer;
  try {
    answer = await exchange(baseUrl, sent);
  } catch (error) {
    const stillBroken = (smaller: Sent) =>
      exchange(baseUrl, smaller).then(
        () => false,
        () => true,
      );
    report(lane, { operation: sent.operation, check: "noAnswer", sentence: `got no answer: ${String(error)}`, sent, stillBroken });
    return { status: 0, headers: {}, type: "", text: "", json: undefined, requestId: "" };
  }
  if (answer.status === 200) tally.accepted++;
  for (const { check, sentence } of broken({ sent, answer }, surroundings))
    report(lane, { operation: sent.operation, check, sentence, sent, stillBroken: (smaller) => isBroken(lane, check, smaller) });
  if (intent === "valid") count(tally, sent.operation, answer);
  learn(lane, sent, answer);
  return answer;
}

async function isBroken({ baseUrl, surroundings }: Lane, check: CheckName, sent: Sent): Promise<boolean> {
  return checks[check]({ sent, answer: await exchange(baseUrl, sent) }, surroundings) !== undefined;
}

function count({ statuses }: Tally, { id }: Operation, { status, json }: Answer): void {
  const code = (json as { code?: string } | undefined)?.code;
  const of = statuses.get(id) ?? statuses.set(id, new Map()).get(id)!;
  const key = code ? `${status} ${code}` : String(status);
  of.set(key, (of.get(key) ?? 0) + 1);
}

function learn({ pool, cookies }: Lane, sent: Sent, answer: Answer): void {
  if (answer.status !== 200 || sent.method !== sent.operation.method) return;
  if (sent.operation.credential) pool.learn(sent.operation, answer.json);
  else {
    // What needs no token answers about anybody; a caller's own names and secrets are worth saying again.
    pool.rememberBody(sent.body);
    for (const each of [answer.headers["set-cookie"] ?? []].flat()) {
      const [name, value] = each.split(";")[0]!.split("=") as [string, string];
      if (value) cookies.set(name, value);
      else cookies.delete(name);
    }
  }
}

/** Makes a request somebody's: an office's token where that is allowed, or the cookies of a browser. */
export function bySomebody(lane: Lane, sent: Sent, draw: Draw): Sent {
  const { credential, roles } = sent.operation;
  if (!credential) {
    const cookie = [...lane.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    return cookie && draw(fc.boolean()) ? { ...sent, headers: { ...sent.headers, Cookie: cookie } } : sent;
  }
  const able = roles.filter((role) => lane.tokens[role] !== undefined);
  const role = draw(fc.constantFrom(able[0], able[0], able[0], ...able));
  return { ...sent, role, token: role && lane.tokens[role] };
}
