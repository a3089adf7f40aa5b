/** What must be true after an answer: made things are there, deleted ones are gone, refused ones left nothing, and nobody reaches another organization. */
import { jsonAnswer, paramsIn, placeOf, type Operation } from "./document/document.ts";
import { ask, report, type Lane } from "./lane.ts";
import { quote } from "./checks.ts";
import { mainComponent, unknownId, type Thing } from "./pool.ts";
import type { Resolved } from "./plan.ts";
import type { Answer, Sent } from "./request.ts";

/** How often a suspicion about two answers must repeat itself: something else may have happened between them. */
const TIMES = 3;

const at = ({ document }: Lane, method: string, place: string): Operation | undefined =>
  document.operations.find((operation) => operation.method === method && placeOf(operation.path) === place);

const about = (operation: Operation, id: string, from: Sent): Sent => ({
  operation,
  method: operation.method,
  path: Object.fromEntries(paramsIn(operation, "path").map(({ name }) => [name, id])),
  query: {},
  headers: {},
  token: from.token,
  role: from.role,
});

/** The thing that an answer is about. */
function thingIn({ document }: Lane, operation: Operation, { json }: Answer): Thing | undefined {
  const wrapper = Object.keys(jsonAnswer(operation)?.properties ?? {})[0];
  const thing = mainComponent(document, operation) && wrapper ? (json as Thing | undefined)?.[wrapper] : undefined;
  return typeof (thing as Thing | undefined)?.["id"] === "string" ? (thing as Thing) : undefined;
}

/** What was answered as made can be read; what was answered as deleted cannot, nor changed, nor deleted once more. */
export async function followUp(lane: Lane, sent: Sent, answer: Answer): Promise<void> {
  const { operation } = sent;
  const thing = thingIn(lane, operation, answer);
  if (!thing || !operation.credential) return;
  const id = thing["id"] as string;
  const reading = at(lane, "GET", operation.method === "POST" ? `${placeOf(operation.path)}/{}` : placeOf(operation.path));
  if (operation.method === "POST" && reading && reading.credential && reading.roles.includes(sent.role ?? "")) {
    const read = await ask(lane, about(reading, id, sent), "valid");
    if (read.status !== 200)
      report(lane, { operation, check: "notThere", sentence: `answered ${id}, and reading it answered ${read.status}: ${quote(read)}`, sent });
  }
  if (operation.method !== "DELETE" || !sent.role) return;
  lane.pool.forget(id);
  for (const method of ["GET", "PATCH", "DELETE"]) {
    const again = at(lane, method, placeOf(operation.path));
    if (!again?.roles.includes(sent.role)) continue;
    const next: Sent = { ...about(again, id, sent), ...(again.body && { body: {} }) };
    const used = await ask(lane, next, "invalid");
    if (used.status === 200) report(lane, { operation: again, check: "usedAfterDelete", sentence: `answered ${id} after it was deleted`, sent: next });
  }
}

/** Another organization's id answers exactly as one that nobody has, wherever it is put. */
export async function tryForeign(lane: Lane, place: Resolved["places"][number], stranger: Lane, dress: (sent: Sent) => Sent): Promise<void> {
  const things = place.component ? (stranger.pool.things.get(place.component) ?? []) : [...stranger.pool.things.values()].flat();
  const foreign = things.at(-1)?.["id"];
  if (typeof foreign !== "string" || lane.surroundings.ownership.get(foreign) !== stranger.pool) return;
  let sentence: string | undefined;
  const sent = dress(place.put(foreign));
  for (let time = 0; time < TIMES; time++) {
    const nobodys = unknownId();
    const unknown = await ask(lane, { ...dress(place.put(nobodys)), token: sent.token, role: sent.role }, "foreign");
    const answer = await ask(lane, sent, "foreign");
    if (answer.status === 200 && place.in !== "query") {
      report(lane, { operation: sent.operation, check: "foreignAccepted", sentence: `accepted ${foreign}, which is another organization's`, sent });
      return;
    }
    if (answer.type === "text/event-stream") return;
    if (answer.status === unknown.status && answer.text.replaceAll(foreign, nobodys) === unknown.text) return;
    sentence = `tells another organization's id from one that nobody has: ${answer.status} ${quote(answer)} instead of ${unknown.status} ${quote(unknown)}`;
  }
  report(lane, { operation: sent.operation, check: "foreignTold", sentence: sentence!, sent });
}

/** The same request with the same key answers the same and says that it is a replay; another one under the key is refused. */
export async function tryKey(lane: Lane, sent: Sent, changed: unknown): Promise<Answer> {
  const key = { "Idempotency-Key": unknownId() };
  const keyed: Sent = { ...sent, headers: { ...sent.headers, ...key } };
  const first = await ask(lane, keyed, "valid");
  if (first.status !== 200) return first;
  const again = await ask(lane, keyed, "valid");
  if (again.status !== 200 || again.text !== first.text)
    report(lane, {
      operation: sent.operation,
      check: "repeated",
      sentence: `answered otherwise under the same Idempotency-Key: ${again.status} ${quote(again)}`,
      sent: keyed,
    });
  else if (again.headers["idempotent-replayed"] !== "true")
    report(lane, {
      operation: sent.operation,
      check: "repeated",
      sentence: "repeated an answer under the same Idempotency-Key without saying so",
      sent: keyed,
    });
  if (JSON.stringify(changed) !== JSON.stringify(sent.body)) {
    const other: Sent = { ...keyed, body: changed };
    const answer = await ask(lane, other, "invalid");
    // Members that say what is the default anyway make no other request.
    if (answer.status === 200 && answer.text !== first.text)
      report(lane, {
        operation: sent.operation,
        check: "keyReused",
        sentence: "took effect under an Idempotency-Key that another request had used",
        sent: other,
      });
  }
  return first;
}

/** What was refused left nothing: the list that it would stand in is as long as before. */
export async function leavesNothing(lane: Lane, sent: Sent, refuse: () => Promise<Answer>): Promise<void> {
  const { operation } = sent;
  const list = at(lane, "GET", placeOf(operation.path));
  const isCountable =
    operation.method === "POST" && list?.credential && jsonAnswer(list)?.properties?.["total"] && !list.parameters.some(({ required }) => required);
  if (!isCountable) return void (await refuse());
  const total = async () => ((await ask(lane, { ...about(list, "", sent), query: { page: "1" } }, "valid")).json as { total?: number } | undefined)?.total;
  for (let time = 0; time < TIMES; time++) {
    const before = await total();
    if ((await refuse()).status < 400) return;
    const after = await total();
    if (before === after) return;
    if (time === TIMES - 1) report(lane, { operation, check: "leftSomething", sentence: `was refused, and the list went from ${before} to ${after}`, sent });
  }
}
