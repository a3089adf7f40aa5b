/** Steps of a session: each picks an operation and sends a valid, invalid, foreign or unauthenticated request. */
import fc from "fast-check";
import { arbitraryOf } from "./document/arbitrary.ts";
import { errorsOf, quote } from "./checks.ts";
import { followUp, checkNoSideEffect, checkForeignId, checkIdempotencyKey } from "./follow-ups.ts";
import { paramsIn, type Operation } from "./document/document.ts";
import { sendAndCheck, authenticate, reportViolation, type Session } from "./session.ts";
import { chance, repairPlan, planRequest, resolveReferences, type Draw, type RequestPlan } from "./plan.ts";
import { componentAtPath, componentOfMember, mainComponent, Reference, type Entity } from "./pool.ts";
import type { FuzzResponse, FuzzRequest } from "./request.ts";
import { corruptBytes, corruptMember } from "./corrupt.ts";

/** Maximum repairs of a refused valid request. */
const MAX_REPAIRS = 4;
const KEPT = 8;

const wasAccepted = (session: Session, { id }: Operation): boolean => session.tally.statuses.get(id)?.has("200") ?? false;

/** Picks an operation, or one that creates an entity it needs. */
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

/** Changes one member of an accepted request. */
function varyPlan({ document }: Session, plan: RequestPlan, draw: Draw): RequestPlan {
  const members = Object.entries(plan.operation.body?.properties ?? {});
  if (members.length === 0) return plan;
  const [name, schema] = draw(fc.constantFrom(...members));
  return { ...plan, body: { ...(plan.body as Entity), [name]: draw(arbitraryOf(document, schema, name)) } };
}

/** Returns a new plan, or an accepted one for other ids. */
function nextPlan(session: Session, operation: Operation, draw: Draw): RequestPlan {
  const templates = session.templates.get(operation.id) ?? [];
  const made = planRequest(session.document, operation, draw);
  if (templates.length === 0 || chance(draw, 0.5)) return made;
  const kept = { ...draw(fc.constantFrom(...templates)), headers: made.headers };
  return chance(draw, 0.4) ? varyPlan(session, kept, draw) : kept;
}

/** Reuses accepted credentials, such as an e-mail address and its password, in a public request. */
function withAcceptedCredentials(session: Session, sent: FuzzRequest, draw: Draw): FuzzRequest {
  const { operation, body } = sent;
  const required = operation.body?.required ?? [];
  if (operation.credential || required.length === 0 || !chance(draw, 0.5)) return sent;
  const known = session.pool.accepted.filter((each) => required.every((name) => typeof each[name] === "string"));
  if (known.length === 0) return sent;
  const words = draw(fc.constantFrom(...known));
  return { ...sent, body: { ...(body as Entity), ...Object.fromEntries(required.map((name) => [name, words[name]])) } };
}

/** Adds authentication and sometimes an Accept header to a valid request. */
function finalizeRequest(session: Session, sent: FuzzRequest, draw: Draw): FuzzRequest {
  const types = [...(sent.operation.answers.get(200)?.keys() ?? [])];
  const accept = types.length > 1 && chance(draw, 0.25) ? { Accept: draw(fc.constantFrom(...types)) } : {};
  return authenticate(session, { ...sent, headers: { ...sent.headers, ...accept } }, draw);
}

async function sendValid(session: Session, operation: Operation, draw: Draw): Promise<void> {
  let plan = nextPlan(session, operation, draw);
  let sent: FuzzRequest | undefined;
  for (let attempt = 0; attempt <= MAX_REPAIRS; attempt++) {
    sent = finalizeRequest(session, withAcceptedCredentials(session, resolveReferences(session.document, session.pool, plan, draw).sent, draw), draw);
    const hasKey = paramsIn(operation, "header").some(({ name }) => name === "Idempotency-Key");
    const response: FuzzResponse =
      hasKey && chance(draw, 0.2)
        ? await checkIdempotencyKey(
            session,
            sent,
            resolveReferences(session.document, session.pool, planRequest(session.document, operation, draw), draw).sent.body,
          )
        : await sendAndCheck(session, sent, "valid");
    if (response.status === 200) {
      const kept = session.templates.get(operation.id) ?? [];
      session.templates.set(operation.id, [...kept, plan].slice(-KEPT));
      return followUp(session, sent, response);
    }
    const next = response.status === 400 ? repairPlan(session.document, plan, errorsOf(response), draw) : undefined;
    if (!next) return;
    plan = next;
  }
}

async function sendExtreme(session: Session, operation: Operation, draw: Draw): Promise<void> {
  const plan = planRequest(session.document, operation, draw, "extreme");
  const [template] = session.templates.get(operation.id) ?? [];
  // One extreme member in an accepted request passes more validation than an extreme request.
  const members = Object.keys((plan.body ?? {}) as Entity);
  const mixed =
    template && members.length > 0 && chance(draw, 0.7)
      ? {
          ...plan,
          body: { ...(template.body as Entity), ...Object.fromEntries([draw(fc.constantFrom(...members))].map((name) => [name, (plan.body as Entity)[name]])) },
        }
      : plan;
  await sendAndCheck(session, finalizeRequest(session, resolveReferences(session.document, session.pool, mixed, draw).sent, draw), "valid");
}

async function sendInvalid(session: Session, operation: Operation, draw: Draw): Promise<void> {
  const sent = authenticate(session, resolveReferences(session.document, session.pool, nextPlan(session, operation, draw), draw).sent, draw);
  const bad = operation.body && chance(draw, 0.12) ? corruptBytes(sent, draw) : corruptMember(session.document, sent, draw);
  if (chance(draw, 0.1)) return checkNoSideEffect(session, bad, () => sendAndCheck(session, bad, "invalid"));
  await sendAndCheck(session, bad, "invalid");
}

async function sendForeignId(session: Session, operation: Operation, draw: Draw): Promise<void> {
  const plan =
    operation.path.includes("{") || operation.body || chance(draw, 0.5) ? nextPlan(session, operation, draw) : planWithFilter(session, operation, draw);
  const { references } = resolveReferences(session.document, session.pool, plan, draw);
  if (references.length === 0) return sendValid(session, operation, draw);
  const caller = authenticate(session, references[0]!.put(""), draw);
  const withCaller = (sent: FuzzRequest): FuzzRequest => ({ ...sent, token: caller.token, role: caller.role });
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
  const sent = resolveReferences(session.document, session.pool, nextPlan(session, operation, draw), draw).sent;
  const genuine = Object.values(session.tokens)[0]!;
  const others = Object.keys(session.tokens).filter((role) => !roles.includes(role));
  if (others.length > 0 && chance(draw, 0.4)) {
    const role = draw(fc.constantFrom(...others));
    const refused: FuzzRequest = { ...sent, role, token: session.tokens[role] };
    const response = await sendAndCheck(session, refused, "invalid");
    if (response.status !== 403)
      reportViolation(session, { operation, check: "roleIgnored", sentence: `answered ${response.status} to a ${role}: ${quote(response)}`, sent: refused });
    return;
  }
  const token = draw(
    fc.constantFrom(undefined, "", "garbage", `${genuine}x`, genuine.slice(0, -8), genuine.replace(/^[^.]+/, "eyJhbGciOiJub25lIn0"), "a.b.c", "null"),
  );
  const unknown: FuzzRequest = { ...sent, token };
  const response = await sendAndCheck(session, unknown, "invalid");
  if (response.status !== 401)
    reportViolation(session, {
      operation,
      check: "tokenIgnored",
      sentence: `answered ${response.status} without a valid token: ${quote(response)}`,
      sent: unknown,
    });
}

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"];

/** Sends a request with a method that the path does not support. */
async function sendUnknownMethod(session: Session, operation: Operation, draw: Draw): Promise<void> {
  const known = session.document.methodsOf.get(operation.path) ?? [];
  const method = draw(fc.constantFrom(...METHODS.filter((each) => !known.includes(each))));
  const sent = {
    ...authenticate(session, resolveReferences(session.document, session.pool, planRequest(session.document, operation, draw), draw).sent, draw),
    method,
  };
  if (["GET", "TRACE"].includes(method)) delete sent.body;
  const { status, headers } = await sendAndCheck(session, sent, "invalid");
  const allowed = String(headers["allow"] ?? "").split(", ");
  if (status !== 405 || allowed.toSorted().join() !== known.toSorted().join())
    reportViolation(session, {
      operation,
      check: "methodUnknown",
      sentence: `answered ${status} with Allow: ${allowed.join(", ")} to ${method}, but the document lists ${known.join(", ")}`,
      sent,
    });
}

/** Sends a request with an `If-Match` of another version. */
async function sendStaleVersion(session: Session, operation: Operation, draw: Draw): Promise<void> {
  if (!paramsIn(operation, "header").some(({ name }) => name === "If-Match")) return sendValid(session, operation, draw);
  const plain = authenticate(session, resolveReferences(session.document, session.pool, nextPlan(session, operation, draw), draw).sent, draw);
  const sent = { ...plain, headers: { ...plain.headers, "If-Match": draw(fc.constantFrom('"999999"', "garbage", '"-1"')) } };
  const response = await sendAndCheck(session, sent, "invalid");
  if (response.status === 200) reportViolation(session, { operation, check: "versionIgnored", sentence: "ignored an If-Match of another version", sent });
}

const weighted: [number, (session: Session, operation: Operation, draw: Draw) => Promise<void>][] = [
  [36, sendValid],
  [9, sendExtreme],
  [30, sendInvalid],
  [12, sendForeignId],
  [7, sendUnauthorized],
  [3, sendUnknownMethod],
  [3, sendStaleVersion],
];
const kinds = weighted.flatMap(([weight, kind]) => Array.from({ length: weight }, () => kind));

/** Runs one step of a session, determined by its draw and the earlier responses. */
export async function step(session: Session, draw: Draw): Promise<void> {
  const operation = nextOperation(session, draw);
  const kind = wasAccepted(session, operation) || chance(draw, 0.5) ? draw(fc.constantFrom(...kinds)) : sendValid;
  await kind(session, operation, draw);
}
