/** Session of one organization, which sends one request after another. Sessions run concurrently. */
import fc from "fast-check";
import { runChecks, checks, type CheckName, type CheckContext } from "./checks.ts";
import type { ApiDocument, Operation } from "./document/document.ts";
import type { Draw, RequestPlan } from "./plan.ts";
import type { Pool } from "./pool.ts";
import { sendRequest, type FuzzResponse, type FuzzRequest } from "./request.ts";

/** Violation of a check by the response to a request. */
export interface Violation {
  operation: Operation;
  check: string;
  sentence: string;
  request: FuzzRequest;
  /** Sends another request and returns whether its response violates the same check. */
  isReproducedBy?: (request: FuzzRequest) => Promise<boolean>;
}

/** Counts of requests and responses over all sessions. */
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
  /** Plans of accepted requests by operation, for reuse and variation. */
  templates: Map<string, RequestPlan[]>;
  tally: Tally;
  otherSessions: () => Session[];
}

export function reportViolation(session: Session, violation: Violation): void {
  const key = `${violation.operation.id} ${violation.check}`;
  if (!session.tally.violations.has(key)) session.tally.violations.set(key, violation);
}

/** Sends a request, runs every check on the response, and adds its data to the pool. */
export async function sendAndCheck(session: Session, request: FuzzRequest, intent: Intent): Promise<FuzzResponse> {
  const { tally, baseUrl, checkContext } = session;
  tally.requests++;
  tally[intent]++;
  let response: FuzzResponse;
  try {
    response = await sendRequest(baseUrl, request);
  } catch (error) {
    const isReproducedBy = (smaller: FuzzRequest) =>
      sendRequest(baseUrl, smaller).then(
        () => false,
        () => true,
      );
    reportViolation(session, { operation: request.operation, check: "noResponse", sentence: `got no response: ${String(error)}`, request, isReproducedBy });
    return { status: 0, headers: {}, type: "", text: "", json: undefined, requestId: "" };
  }
  if (response.status === 200) tally.accepted++;
  for (const { check, sentence } of runChecks({ request, response }, checkContext))
    reportViolation(session, { operation: request.operation, check, sentence, request, isReproducedBy: (smaller) => isViolated(session, check, smaller) });
  if (intent === "valid") countStatus(tally, request.operation, response);
  updatePool(session, request, response);
  return response;
}

async function isViolated({ baseUrl, checkContext }: Session, check: CheckName, request: FuzzRequest): Promise<boolean> {
  return checks[check]({ request, response: await sendRequest(baseUrl, request) }, checkContext) !== undefined;
}

function countStatus({ statuses }: Tally, { id }: Operation, { status, json }: FuzzResponse): void {
  const code = (json as { code?: string } | undefined)?.code;
  const counts = statuses.get(id) ?? statuses.set(id, new Map()).get(id)!;
  const key = code ? `${status} ${code}` : String(status);
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function updatePool({ pool, cookies }: Session, request: FuzzRequest, response: FuzzResponse): void {
  if (response.status !== 200 || request.method !== request.operation.method) return;
  if (request.operation.credential) pool.addResponse(request.operation, response.json);
  else {
    // A public operation may return data of any organization; only the request's own values are reused.
    pool.addAcceptedBody(request.body);
    for (const cookie of [response.headers["set-cookie"] ?? []].flat()) {
      const [name, value] = cookie.split(";")[0]!.split("=") as [string, string];
      if (value) cookies.set(name, value);
      else cookies.delete(name);
    }
  }
}

/** Adds a token of an allowed role to a request, or cookies to a public one. */
export function authenticate(session: Session, request: FuzzRequest, draw: Draw): FuzzRequest {
  const { credential, roles } = request.operation;
  if (!credential) {
    const cookie = [...session.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    return cookie && draw(fc.boolean()) ? { ...request, headers: { ...request.headers, Cookie: cookie } } : request;
  }
  const allowedRoles = roles.filter((role) => session.tokens[role] !== undefined);
  const role = draw(fc.constantFrom(allowedRoles[0], allowedRoles[0], allowedRoles[0], ...allowedRoles));
  return { ...request, role, token: role && session.tokens[role] };
}
