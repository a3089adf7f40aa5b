/** Follow-up requests: created entities are readable, deleted ones are gone, refused requests have no effect, and foreign ids are not found. */
import { responseSchema, paramsIn, normalizePath, type Operation } from "./document/document.ts";
import { sendAndCheck, reportViolation, type Session } from "./session.ts";
import { quote } from "./checks.ts";
import { mainComponent, unknownId, type Entity } from "./pool.ts";
import type { ResolvedRequest } from "./plan.ts";
import type { FuzzResponse, FuzzRequest } from "./request.ts";

/** Attempts that must all fail before two differing responses count as a violation, since other requests run concurrently. */
const ATTEMPTS = 3;

const findOperation = ({ document }: Session, method: string, reference: string): Operation | undefined =>
  document.operations.find((operation) => operation.method === method && normalizePath(operation.path) === reference);

const requestFor = (operation: Operation, id: string, from: FuzzRequest): FuzzRequest => ({
  operation,
  method: operation.method,
  path: Object.fromEntries(paramsIn(operation, "path").map(({ name }) => [name, id])),
  query: {},
  headers: {},
  token: from.token,
  role: from.role,
});

/** Returns the main entity of a response. */
function mainEntity({ document }: Session, operation: Operation, { json }: FuzzResponse): Entity | undefined {
  const wrapper = Object.keys(responseSchema(operation)?.properties ?? {})[0];
  const entity = mainComponent(document, operation) && wrapper ? (json as Entity | undefined)?.[wrapper] : undefined;
  return typeof (entity as Entity | undefined)?.["id"] === "string" ? (entity as Entity) : undefined;
}

/** Checks that a created entity can be read, and that a deleted one can no longer be read, changed or deleted. */
export async function followUp(session: Session, sent: FuzzRequest, response: FuzzResponse): Promise<void> {
  const { operation } = sent;
  const entity = mainEntity(session, operation, response);
  if (!entity || !operation.credential) return;
  const id = entity["id"] as string;
  const reading = findOperation(session, "GET", operation.method === "POST" ? `${normalizePath(operation.path)}/{}` : normalizePath(operation.path));
  if (operation.method === "POST" && reading && reading.credential && reading.roles.includes(sent.role ?? "")) {
    const read = await sendAndCheck(session, requestFor(reading, id, sent), "valid");
    if (read.status !== 200)
      reportViolation(session, { operation, check: "notThere", sentence: `answered ${id}, and reading it answered ${read.status}: ${quote(read)}`, sent });
  }
  if (operation.method !== "DELETE" || !sent.role) return;
  session.pool.forget(id);
  for (const method of ["GET", "PATCH", "DELETE"]) {
    const again = findOperation(session, method, normalizePath(operation.path));
    if (!again?.roles.includes(sent.role)) continue;
    const next: FuzzRequest = { ...requestFor(again, id, sent), ...(again.body && { body: {} }) };
    const used = await sendAndCheck(session, next, "invalid");
    if (used.status === 200)
      reportViolation(session, { operation: again, check: "usedAfterDelete", sentence: `answered ${id} after it was deleted`, sent: next });
  }
}

/** Checks that an id of another organization gets the same response as an unknown id. */
export async function checkForeignId(
  session: Session,
  reference: ResolvedRequest["references"][number],
  otherSession: Session,
  finalize: (sent: FuzzRequest) => FuzzRequest,
): Promise<void> {
  const entities = reference.component ? (otherSession.pool.entities.get(reference.component) ?? []) : [...otherSession.pool.entities.values()].flat();
  const foreign = entities.at(-1)?.["id"];
  if (typeof foreign !== "string" || session.checkContext.ownership.get(foreign) !== otherSession.pool) return;
  let sentence: string | undefined;
  const sent = finalize(reference.put(foreign));
  for (let time = 0; time < ATTEMPTS; time++) {
    const unused = unknownId();
    const unknown = await sendAndCheck(session, { ...finalize(reference.put(unused)), token: sent.token, role: sent.role }, "foreign");
    const response = await sendAndCheck(session, sent, "foreign");
    if (response.status === 200 && reference.in !== "query") {
      reportViolation(session, { operation: sent.operation, check: "foreignAccepted", sentence: `accepted ${foreign}, an id of another organization`, sent });
      return;
    }
    if (response.type === "text/event-stream") return;
    if (response.status === unknown.status && response.text.replaceAll(foreign, unused) === unknown.text) return;
    sentence = `distinguishes an id of another organization from an unknown id: ${response.status} ${quote(response)} instead of ${unknown.status} ${quote(unknown)}`;
  }
  reportViolation(session, { operation: sent.operation, check: "foreignTold", sentence: sentence!, sent });
}

/** Checks that a retry with the same idempotency key replays the response, and that another request with the key is refused. */
export async function checkIdempotencyKey(session: Session, sent: FuzzRequest, changed: unknown): Promise<FuzzResponse> {
  const key = { "Idempotency-Key": unknownId() };
  const keyed: FuzzRequest = { ...sent, headers: { ...sent.headers, ...key } };
  const first = await sendAndCheck(session, keyed, "valid");
  if (first.status !== 200) return first;
  const again = await sendAndCheck(session, keyed, "valid");
  if (again.status !== 200 || again.text !== first.text)
    reportViolation(session, {
      operation: sent.operation,
      check: "repeated",
      sentence: `returned another response for the same Idempotency-Key: ${again.status} ${quote(again)}`,
      sent: keyed,
    });
  else if (again.headers["idempotent-replayed"] !== "true")
    reportViolation(session, {
      operation: sent.operation,
      check: "repeated",
      sentence: "replayed a response without the header Idempotent-Replayed",
      sent: keyed,
    });
  if (JSON.stringify(changed) !== JSON.stringify(sent.body)) {
    const other: FuzzRequest = { ...keyed, body: changed };
    const response = await sendAndCheck(session, other, "invalid");
    // A member with its default value does not make another request.
    if (response.status === 200 && response.text !== first.text)
      reportViolation(session, {
        operation: sent.operation,
        check: "keyReused",
        sentence: "accepted an Idempotency-Key that another request had used",
        sent: other,
      });
  }
  return first;
}

/** Checks that a refused request left no row: the total of its list is unchanged. */
export async function checkNoSideEffect(session: Session, sent: FuzzRequest, refuse: () => Promise<FuzzResponse>): Promise<void> {
  const { operation } = sent;
  const list = findOperation(session, "GET", normalizePath(operation.path));
  const isCountable =
    operation.method === "POST" && list?.credential && responseSchema(list)?.properties?.["total"] && !list.parameters.some(({ required }) => required);
  if (!isCountable) return void (await refuse());
  const total = async () =>
    ((await sendAndCheck(session, { ...requestFor(list, "", sent), query: { page: "1" } }, "valid")).json as { total?: number } | undefined)?.total;
  for (let time = 0; time < ATTEMPTS; time++) {
    const before = await total();
    if ((await refuse()).status < 400) return;
    const after = await total();
    if (before === after) return;
    if (time === ATTEMPTS - 1)
      reportViolation(session, { operation, check: "leftSomething", sentence: `was refused, and the list went from ${before} to ${after}`, sent });
  }
}
