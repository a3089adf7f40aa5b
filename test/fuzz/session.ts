/** Session of one organization, which sends one request after another. Sessions run concurrently. */
import fc from "fast-check";
import { runChecks, checks, type CheckName, type CheckContext } from "./checks.ts";
import type { ApiDocument, Operation } from "./document/document.ts";
import type { Draw, RequestPlan } from "./plan.ts";
import type { Pool } from "./pool.ts";
import { sendRequest, type FuzzResponse, type FuzzRequest } from "./request.ts";

/** Violation of a check, with a test whether a smaller request still violates it. */
export interface Violation {
  operation: Operation;
  check: string;
  sentence: string;
  sent: FuzzRequest;
  stillBroken?: (sent: FuzzRequest) => Promise<boolean>;
}

/** Counts over all sessions. */
export interface Tally {
  requests: number;
  valid: number;
  invalid: number;
  foreign: number;
  accepted: number;
  /** Responses to valid requests by operation and status. */
  statuses: Map<string, Map<string, number>>;
  /** First violation of each operation and check. */
  violations: Map<string, Violation>;
  violationCount: number;
}

export type Intent = "valid" | "invalid" | "foreign";

export interface Session {
  baseUrl: string;
  document: ApiDocument;
  checkContext: CheckContext;
  pool: Pool;
  /** Access tokens by role. */
  tokens: Partial<Record<string, string>>;
  /** Cookies, sent to operations without a token as a browser does. */
  cookies: Map<string, string>;
  /** Accepted requests by operation, for variation. */
  templates: Map<string, RequestPlan[]>;
  tally: Tally;
  otherSessions: () => Session[];
}

export function reportViolation(session: Session, violation: Violation): void {
  session.tally.violationCount++;
  const key = `${violation.operation.id} ${violation.check}`;
  if (!session.tally.violations.has(key)) session.tally.violations.set(key, violation);
}

/** Sends a request, runs every check on the response, and adds its data to the pool. */
export async function sendAndCheck(session: Session, sent: FuzzRequest, intent: Intent): Promise<FuzzResponse> {
  const { tally, baseUrl, checkContext } = session;
  tally.requests++;
  tally[intent]++;
  let response: FuzzResponse;
  try {
    response = await sendRequest(baseUrl, sent);
  } catch (error) {
    const stillBroken = (smaller: FuzzRequest) =>
      sendRequest(baseUrl, smaller).then(
        () => false,
        () => true,
      );
    reportViolation(session, { operation: sent.operation, check: "noAnswer", sentence: `got no response: ${String(error)}`, sent, stillBroken });
    return { status: 0, headers: {}, type: "", text: "", json: undefined, requestId: "" };
  }
  if (response.status === 200) tally.accepted++;
  for (const { check, sentence } of runChecks({ sent, response }, checkContext))
    reportViolation(session, { operation: sent.operation, check, sentence, sent, stillBroken: (smaller) => isStillBroken(session, check, smaller) });
  if (intent === "valid") countStatus(tally, sent.operation, response);
  updatePool(session, sent, response);
  return response;
}

async function isStillBroken({ baseUrl, checkContext }: Session, check: CheckName, sent: FuzzRequest): Promise<boolean> {
  return checks[check]({ sent, response: await sendRequest(baseUrl, sent) }, checkContext) !== undefined;
}

function countStatus({ statuses }: Tally, { id }: Operation, { status, json }: FuzzResponse): void {
  const code = (json as { code?: string } | undefined)?.code;
  const of = statuses.get(id) ?? statuses.set(id, new Map()).get(id)!;
  const key = code ? `${status} ${code}` : String(status);
  of.set(key, (of.get(key) ?? 0) + 1);
}

function updatePool({ pool, cookies }: Session, sent: FuzzRequest, response: FuzzResponse): void {
  if (response.status !== 200 || sent.method !== sent.operation.method) return;
  if (sent.operation.credential) pool.learn(sent.operation, response.json);
  else {
    // A public operation may return data of any organization; only the request's own values are reused.
    pool.rememberBody(sent.body);
    for (const each of [response.headers["set-cookie"] ?? []].flat()) {
      const [name, value] = each.split(";")[0]!.split("=") as [string, string];
      if (value) cookies.set(name, value);
      else cookies.delete(name);
    }
  }
}

/** Adds a token of an allowed role to a request, or cookies to a public one. */
export function authenticate(session: Session, sent: FuzzRequest, draw: Draw): FuzzRequest {
  const { credential, roles } = sent.operation;
  if (!credential) {
    const cookie = [...session.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    return cookie && draw(fc.boolean()) ? { ...sent, headers: { ...sent.headers, Cookie: cookie } } : sent;
  }
  const able = roles.filter((role) => session.tokens[role] !== undefined);
  const role = draw(fc.constantFrom(able[0], able[0], able[0], ...able));
  return { ...sent, role, token: role && session.tokens[role] };
}
