/** Steps of a session: each picks an operation and sends one kind of request, such as a valid, an extreme, an invalid or an unauthorized one. */
import fc from "fast-check";
import { arbitraryOf } from "./document/arbitrary.ts";
import { errorsOf, excerptOf } from "./checks.ts";
import { followUp, checkNoSideEffect, checkForeignId, checkIdempotencyKey } from "./follow-ups.ts";
import { paramsIn, type Operation } from "./document/document.ts";
import { sendAndCheck, authenticate, reportViolation, type Session } from "./session.ts";
import { chance, repairPlan, planRequest, resolveReferences, type Draw, type RequestPlan } from "./plan.ts";
import { componentAtPath, componentOfMember, mainComponent, Reference, type Entity } from "./pool.ts";
import type { FuzzResponse, FuzzRequest } from "./request.ts";
import { corruptBytes, corruptMember } from "./corrupt.ts";

/** Maximum number of repairs of a plan whose request returned 400. */
const MAX_REPAIRS = 4;
/** Maximum accepted plans of an operation that are stored for reuse. */
const MAX_TEMPLATES = 8;

const wasAccepted = (session: Session, { id }: Operation): boolean => session.tally.statuses.get(id)?.has("200") ?? false;

/** Picks an operation, or one that creates an entity which the picked operation needs. */
function nextOperation(session: Session, draw: Draw): Operation {
  const { operations } = session.document;
  const uncalled = operations.filter((each) => !session.tally.statuses.has(each.id));
  if (uncalled.length > 0 && chance(draw, 0.3)) return draw(fc.constantFrom(...uncalled));
  const withoutTemplate = operations.filter((each) => !session.templates.has(each.id));
  let operation = withoutTemplate.length > 0 && chance(draw, 0.4) ? draw(fc.constantFrom(...withoutTemplate)) : draw(fc.constantFrom(...operations));
  for (let depth = 0; depth < 4; depth++) {
    const missing = componentsNeeded(session, operation).filter((name) => (session.pool.entities.get(name)?.length ?? 0) === 0);
    const creators = operations.filter((each) => missing.includes(mainComponent(session.document, each) ?? "") && paramsIn(each, "path").length === 0);
    if (creators.length === 0 || chance(draw, 0.1)) return operation;
    operation = draw(fc.constantFrom(...creators));
  }
  return operation;
}

function componentsNeeded({ document }: Session, operation: Operation): string[] {
  const inPath = paramsIn(operation, "path").map(({ name }) =>
    componentAtPath(document, operation.path.slice(0, operation.path.indexOf(`{${name}}`) + name.length + 2)),
  );
  const inBody = (operation.body?.required ?? []).filter((name) => name.endsWith("Id")).map((name) => componentOfMember(document, name));
  return [...inPath, ...inBody].filter((name) => name !== undefined);
}

/** Changes one body member of the plan of an accepted request. */
function varyPlan({ document }: Session, plan: RequestPlan, draw: Draw): RequestPlan {
  const members = Object.entries(plan.operation.body?.properties ?? {});
  if (members.length === 0) return plan;
  const [name, schema] = draw(fc.constantFrom(...members));
  return { ...plan, body: { ...(plan.body as Entity), [name]: draw(arbitraryOf(document, schema, name)) } };
}

/** Returns a new plan, or the plan of an accepted request, possibly with one member changed. Resolving the plan again picks other ids. */
function nextPlan(session: Session, operation: Operation, draw: Draw): RequestPlan {
  const templates = session.templates.get(operation.id) ?? [];
  const newPlan = planRequest(session.document, operation, draw);
  if (templates.length === 0 || chance(draw, 0.5)) return newPlan;
  const reused = { ...draw(fc.constantFrom(...templates)), headers: newPlan.headers };
  return chance(draw, 0.4) ? varyPlan(session, reused, draw) : reused;
}

/** Reuses accepted credentials, such as an e-mail address and its password, in a public request. */
function withAcceptedCredentials(session: Session, request: FuzzRequest, draw: Draw): FuzzRequest {
  const { operation, body } = request;
  const required = operation.body?.required ?? [];
  if (operation.credential || required.length === 0 || !chance(draw, 0.5)) return request;
  const acceptedBodies = session.pool.acceptedBodies.filter((each) => required.every((name) => typeof each[name] === "string"));
  if (acceptedBodies.length === 0) return request;
  const acceptedBody = draw(fc.constantFrom(...acceptedBodies));
  return { ...request, body: { ...(body as Entity), ...Object.fromEntries(required.map((name) => [name, acceptedBody[name]])) } };
}

/** Adds authentication and sometimes an Accept header to a valid request. */
function finalizeRequest(session: Session, request: FuzzRequest, draw: Draw): FuzzRequest {
  const types = [...(request.operation.responses.get(200)?.keys() ?? [])];
  const accept = types.length > 1 && chance(draw, 0.25) ? { Accept: draw(fc.constantFrom(...types)) } : {};
  return authenticate(session, { ...request, headers: { ...request.headers, ...accept } }, draw);
}

async function sendValid(session: Session, operation: Operation, draw: Draw): Promise<void> {
  let plan = nextPlan(session, operation, draw);
  let request: FuzzRequest | undefined;
  for (let attempt = 0; attempt <= MAX_REPAIRS; attempt++) {
    request = finalizeRequest(session, withAcceptedCredentials(session, resolveReferences(session.document, session.pool, plan, draw).request, draw), draw);
    const hasKey = paramsIn(operation, "header").some(({ name }) => name === "Idempotency-Key");
    const response: FuzzResponse =
      hasKey && chance(draw, 0.2)
        ? await checkIdempotencyKey(
            session,
            request,
            resolveReferences(session.document, session.pool, planRequest(session.document, operation, draw), draw).request.body,
          )
        : await sendAndCheck(session, request, "valid");
    if (response.status === 200) {
      const templates = session.templates.get(operation.id) ?? [];
      session.templates.set(operation.id, [...templates, plan].slice(-MAX_TEMPLATES));
      return followUp(session, request, response);
    }
    const repaired = response.status === 400 ? repairPlan(session.document, plan, errorsOf(response), draw) : undefined;
    if (!repaired) return;
    plan = repaired;
  }
}

async function sendExtreme(session: Session, operation: Operation, draw: Draw): Promise<void> {
  const plan = planRequest(session.document, operation, draw, "extreme");
  const [template] = session.templates.get(operation.id) ?? [];
  // One extreme member in an accepted request passes more validation than an extreme request.
  const members = Object.keys((plan.body ?? {}) as Entity);
  const mixedPlan =
    template && members.length > 0 && chance(draw, 0.7)
      ? {
          ...plan,
          body: { ...(template.body as Entity), ...Object.fromEntries([draw(fc.constantFrom(...members))].map((name) => [name, (plan.body as Entity)[name]])) },
        }
      : plan;
  await sendAndCheck(session, finalizeRequest(session, resolveReferences(session.document, session.pool, mixedPlan, draw).request, draw), "valid");
}

async function sendInvalid(session: Session, operation: Operation, draw: Draw): Promise<void> {
  const request = authenticate(session, resolveReferences(session.document, session.pool, nextPlan(session, operation, draw), draw).request, draw);
  const corrupted = operation.body && chance(draw, 0.12) ? corruptBytes(request, draw) : corruptMember(session.document, request, draw);
  if (chance(draw, 0.1)) return checkNoSideEffect(session, corrupted, () => sendAndCheck(session, corrupted, "invalid"));
  await sendAndCheck(session, corrupted, "invalid");
}

async function sendForeignId(session: Session, operation: Operation, draw: Draw): Promise<void> {
  const plan =
    operation.path.includes("{") || operation.body || chance(draw, 0.5) ? nextPlan(session, operation, draw) : planWithFilter(session, operation, draw);
  const { request: ownRequest, references } = resolveReferences(session.document, session.pool, plan, draw);
  if (references.length === 0) return sendValid(session, operation, draw);
  const { token, role } = authenticate(session, ownRequest, draw);
  const withCaller = (request: FuzzRequest): FuzzRequest => ({ ...request, token, role });
  await checkForeignId(session, draw(fc.constantFrom(...references)), draw(fc.constantFrom(...session.otherSessions())), withCaller);
}

/** Plans a request filtered by the id of one entity. */
function planWithFilter(session: Session, operation: Operation, draw: Draw): RequestPlan {
  const filters = paramsIn(operation, "query").filter(({ schema }) => schema.format === "uuid");
  const plan = planRequest(session.document, operation, draw);
  if (filters.length === 0) return plan;
  const { name } = draw(fc.constantFrom(...filters));
  return { ...plan, query: { ...plan.query, [name]: new Reference(name, draw(fc.nat())) } };
}

/** Sends a request without a token, with an invalid token, or with a role that is not allowed. */
async function sendUnauthorized(session: Session, operation: Operation, draw: Draw): Promise<void> {
  const { credential, roles } = operation;
  if (!credential) return sendInvalid(session, operation, draw);
  const request = resolveReferences(session.document, session.pool, nextPlan(session, operation, draw), draw).request;
  const validToken = Object.values(session.tokens)[0]!;
  const refusedRoles = Object.keys(session.tokens).filter((role) => !roles.includes(role));
  if (refusedRoles.length > 0 && chance(draw, 0.4)) {
    const role = draw(fc.constantFrom(...refusedRoles));
    const refusedRequest: FuzzRequest = { ...request, role, token: session.tokens[role] };
    const response = await sendAndCheck(session, refusedRequest, "invalid");
    // An earlier request may have ended the access of the portal user, for example by deleting the owner.
    const hasAccess = response.status !== 401 || (JSON.parse(response.text) as { code?: string }).code !== "token_expired";
    if (response.status !== 403 && hasAccess)
      reportViolation(session, {
        operation,
        check: "roleIgnored",
        sentence: `returned ${response.status} to a ${role}: ${excerptOf(response)}`,
        request: refusedRequest,
      });
    return;
  }
  const token = draw(
    fc.constantFrom(undefined, "", "garbage", `${validToken}x`, validToken.slice(0, -8), validToken.replace(/^[^.]+/, "eyJhbGciOiJub25lIn0"), "a.b.c", "null"),
  );
  const unauthenticated: FuzzRequest = { ...request, token };
  const response = await sendAndCheck(session, unauthenticated, "invalid");
  if (response.status !== 401)
    reportViolation(session, {
      operation,
      check: "tokenIgnored",
      sentence: `returned ${response.status} without a valid token: ${excerptOf(response)}`,
      request: unauthenticated,
    });
}

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"];

/** Sends a request with a method that the path does not support. */
async function sendUnsupportedMethod(session: Session, operation: Operation, draw: Draw): Promise<void> {
  const documentedMethods = session.document.methodsByPath.get(operation.path) ?? [];
  const method = draw(fc.constantFrom(...METHODS.filter((each) => !documentedMethods.includes(each))));
  const request = {
    ...authenticate(session, resolveReferences(session.document, session.pool, planRequest(session.document, operation, draw), draw).request, draw),
    method,
  };
  if (["GET", "TRACE"].includes(method)) delete request.body;
  const { status, headers } = await sendAndCheck(session, request, "invalid");
  const allowed = String(headers["allow"] ?? "").split(", ");
  if (status !== 405 || allowed.toSorted().join() !== documentedMethods.toSorted().join())
    reportViolation(session, {
      operation,
      check: "unsupportedMethod",
      sentence: `returned ${status} with Allow: ${allowed.join(", ")} to ${method}, but the document lists ${documentedMethods.join(", ")}`,
      request,
    });
}

/** Sends a request with an `If-Match` that no current version matches. */
async function sendStaleVersion(session: Session, operation: Operation, draw: Draw): Promise<void> {
  if (!paramsIn(operation, "header").some(({ name }) => name === "If-Match")) return sendValid(session, operation, draw);
  const authenticated = authenticate(session, resolveReferences(session.document, session.pool, nextPlan(session, operation, draw), draw).request, draw);
  const request = { ...authenticated, headers: { ...authenticated.headers, "If-Match": draw(fc.constantFrom('"999999"', "garbage", '"-1"')) } };
  const response = await sendAndCheck(session, request, "invalid");
  if (response.status === 200) reportViolation(session, { operation, check: "versionIgnored", sentence: "ignored an If-Match of another version", request });
}

const weightedSteps: [number, (session: Session, operation: Operation, draw: Draw) => Promise<void>][] = [
  [36, sendValid],
  [9, sendExtreme],
  [30, sendInvalid],
  [12, sendForeignId],
  [7, sendUnauthorized],
  [3, sendUnsupportedMethod],
  [3, sendStaleVersion],
];
const steps = weightedSteps.flatMap(([weight, send]) => Array.from({ length: weight }, () => send));

/** Runs one step of a session, determined by its draw and the earlier responses. */
export async function step(session: Session, draw: Draw): Promise<void> {
  const operation = nextOperation(session, draw);
  const send = wasAccepted(session, operation) || chance(draw, 0.5) ? draw(fc.constantFrom(...steps)) : sendValid;
  await send(session, operation, draw);
}
