/**
 * Follow-up requests: created entities are readable, deleted ones are gone, idempotency keys replay, refused requests have no
 * effect, and foreign ids are not found.
 */
import { responseSchema, paramsIn, normalizePath, type Operation } from "./document/document.ts";
import { sendAndCheck, reportViolation, type Session } from "./session.ts";
import { excerptOf } from "./checks.ts";
import { mainComponent, unknownId, type Entity } from "./pool.ts";
import type { ResolvedRequest } from "./plan.ts";
import type { FuzzResponse, FuzzRequest } from "./request.ts";

/** Number of attempts that must all differ before a difference counts as a violation, since other requests run concurrently. */
const ATTEMPTS = 3;

const findOperation = ({ document }: Session, method: string, normalizedPath: string): Operation | undefined =>
  document.operations.find((operation) => operation.method === method && normalizePath(operation.path) === normalizedPath);

const requestFor = (operation: Operation, id: string, original: FuzzRequest): FuzzRequest => ({
  operation,
  method: operation.method,
  path: Object.fromEntries(paramsIn(operation, "path").map(({ name }) => [name, id])),
  query: {},
  headers: {},
  token: original.token,
  role: original.role,
});

/** Returns the main entity of a response. */
function mainEntity({ document }: Session, operation: Operation, { json }: FuzzResponse): Entity | undefined {
  const wrapper = Object.keys(responseSchema(operation)?.properties ?? {})[0];
  const entity = mainComponent(document, operation) && wrapper ? (json as Entity | undefined)?.[wrapper] : undefined;
  return typeof (entity as Entity | undefined)?.["id"] === "string" ? (entity as Entity) : undefined;
}

/** Checks that a created entity can be read, and that a deleted one can no longer be read, changed or deleted. */
export async function followUp(session: Session, request: FuzzRequest, response: FuzzResponse): Promise<void> {
  const { operation } = request;
  const entity = mainEntity(session, operation, response);
  if (!entity || !operation.credential) return;
  const id = entity["id"] as string;
  const readOperation = findOperation(session, "GET", operation.method === "POST" ? `${normalizePath(operation.path)}/{}` : normalizePath(operation.path));
  if (operation.method === "POST" && readOperation && readOperation.credential && readOperation.roles.includes(request.role ?? "")) {
    const readResponse = await sendAndCheck(session, requestFor(readOperation, id, request), "valid");
    if (readResponse.status !== 200)
      reportViolation(session, {
        operation,
        check: "notReadableAfterCreate",
        sentence: `created ${id}, but reading it returned ${readResponse.status}: ${excerptOf(readResponse)}`,
        request,
      });
  }
  if (operation.method !== "DELETE" || !request.role) return;
  session.pool.remove(id);
  // An archived resource remains, to be read and restored.
  if (entity["isActive"] === false && entity["deletedAt"] === undefined) return;
  for (const method of ["GET", "PATCH", "DELETE"]) {
    const laterOperation = findOperation(session, method, normalizePath(operation.path));
    if (!laterOperation?.roles.includes(request.role)) continue;
    const laterRequest: FuzzRequest = { ...requestFor(laterOperation, id, request), ...(laterOperation.body && { body: {} }) };
    const laterResponse = await sendAndCheck(session, laterRequest, "invalid");
    if (laterResponse.status === 200)
      reportViolation(session, {
        operation: laterOperation,
        check: "usableAfterDelete",
        sentence: `accepted ${id} after it was deleted`,
        request: laterRequest,
      });
  }
}

/** Checks that an id of another organization gets the same response as an unknown id. */
export async function checkForeignId(
  session: Session,
  reference: ResolvedRequest["references"][number],
  otherSession: Session,
  finalize: (request: FuzzRequest) => FuzzRequest,
): Promise<void> {
  const entities = reference.component ? (otherSession.pool.entities.get(reference.component) ?? []) : [...otherSession.pool.entities.values()].flat();
  const foreignId = entities.at(-1)?.["id"];
  if (typeof foreignId !== "string" || session.checkContext.ownership.get(foreignId) !== otherSession.pool) return;
  let sentence: string | undefined;
  const request = finalize(reference.withId(foreignId));
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const unusedId = unknownId();
    const unknownResponse = await sendAndCheck(session, { ...finalize(reference.withId(unusedId)), token: request.token, role: request.role }, "foreign");
    const response = await sendAndCheck(session, request, "foreign");
    if (refusesItems(response) && refusesItems(unknownResponse)) return;
    if (response.status === 200 && reference.in !== "query") {
      reportViolation(session, {
        operation: request.operation,
        check: "foreignIdAccepted",
        sentence: `accepted ${foreignId}, an id of another organization`,
        request,
      });
      return;
    }
    if (response.type === "text/event-stream") return;
    if (response.status === unknownResponse.status && response.text.replaceAll(foreignId, unusedId) === unknownResponse.text) return;
    sentence = `distinguishes an id of another organization from an unknown id: ${response.status} ${excerptOf(response)} instead of ${unknownResponse.status} ${excerptOf(unknownResponse)}`;
  }
  reportViolation(session, { operation: request.operation, check: "foreignIdDistinguished", sentence: sentence!, request });
}

/** Tells whether a bulk operation refused items of the request, which its response lists as errors. */
const refusesItems = ({ status, text }: FuzzResponse): boolean =>
  status === 200 && text.startsWith("{") && ((JSON.parse(text) as { errors?: unknown[] }).errors?.length ?? 0) > 0;

/** Checks that a retry with the same idempotency key replays the response, and that another request with the key is refused. */
export async function checkIdempotencyKey(session: Session, request: FuzzRequest, otherBody: unknown): Promise<FuzzResponse> {
  const keyHeader = { "Idempotency-Key": unknownId() };
  const keyed: FuzzRequest = { ...request, headers: { ...request.headers, ...keyHeader } };
  const first = await sendAndCheck(session, keyed, "valid");
  if (first.status !== 200) return first;
  const replay = await sendAndCheck(session, keyed, "valid");
  if (replay.status !== 200 || replay.text !== first.text)
    reportViolation(session, {
      operation: request.operation,
      check: "replayDiffers",
      sentence: `returned another response for the same Idempotency-Key: ${replay.status} ${excerptOf(replay)}`,
      request: keyed,
    });
  else if (replay.headers["idempotent-replayed"] !== "true")
    reportViolation(session, {
      operation: request.operation,
      check: "replayDiffers",
      sentence: "replayed a response without the header Idempotent-Replayed",
      request: keyed,
    });
  if (JSON.stringify(otherBody) !== JSON.stringify(request.body)) {
    const reuse: FuzzRequest = { ...keyed, body: otherBody };
    const response = await sendAndCheck(session, reuse, "invalid");
    // A body that differs only by a member with its default value is the same request and may be replayed.
    if (response.status === 200 && response.text !== first.text)
      reportViolation(session, {
        operation: request.operation,
        check: "keyReuseAccepted",
        sentence: "accepted an Idempotency-Key that another request had used",
        request: reuse,
      });
  }
  return first;
}

/** Checks that a refused request to create an entity had no effect: the total of the list is unchanged. */
export async function checkNoSideEffect(session: Session, request: FuzzRequest, sendRefused: () => Promise<FuzzResponse>): Promise<void> {
  const { operation } = request;
  const list = findOperation(session, "GET", normalizePath(operation.path));
  const isCountable =
    operation.method === "POST" && list?.credential && responseSchema(list)?.properties?.["total"] && !list.parameters.some(({ required }) => required);
  if (!isCountable) return void (await sendRefused());
  const fetchTotal = async () =>
    ((await sendAndCheck(session, { ...requestFor(list, "", request), query: { page: "1" } }, "valid")).json as { total?: number } | undefined)?.total;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const before = await fetchTotal();
    if ((await sendRefused()).status < 400) return;
    const after = await fetchTotal();
    if (before === after) return;
    if (attempt === ATTEMPTS - 1)
      reportViolation(session, { operation, check: "refusalHadEffect", sentence: `was refused, and the list went from ${before} to ${after}`, request });
  }
}
