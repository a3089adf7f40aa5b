/** What a lane does next: which operation, and whether it asks rightly, wrongly, as a stranger, or as nobody. */
import fc from "fast-check";
import { valuesOf } from "./document/arbitrary.ts";
import { errorsOf, quote } from "./checks.ts";
import { followUp, leavesNothing, tryForeign, tryKey } from "./consequences.ts";
import { paramsIn, type Operation } from "./document/document.ts";
import { ask, bySomebody, report, type Lane } from "./lane.ts";
import { chance, mended, planFor, resolved, type Draw, type Plan } from "./plan.ts";
import { componentAt, componentNamed, mainComponent, Reference, type Thing } from "./pool.ts";
import type { Answer, Sent } from "./request.ts";
import { garbled, spoiled } from "./spoil.ts";

/** How often a valid request is mended by what the answer says. */
const MENDINGS = 4;
const KEPT = 8;

const wasAccepted = (lane: Lane, { id }: Operation): boolean => lane.tally.statuses.get(id)?.has("200") ?? false;

/** An operation, or first the one that makes what it speaks of. */
function nextOperation(lane: Lane, draw: Draw): Operation {
  const { operations } = lane.document;
  const unasked = operations.filter((each) => !lane.tally.statuses.has(each.id));
  if (unasked.length > 0 && chance(draw, 0.3)) return draw(fc.constantFrom(...unasked));
  const wanted = operations.filter((each) => !lane.templates.has(each.id));
  let operation = wanted.length > 0 && chance(draw, 0.4) ? draw(fc.constantFrom(...wanted)) : draw(fc.constantFrom(...operations));
  for (let depth = 0; depth < 4; depth++) {
    const missing = componentsNeeded(lane, operation).filter((name) => (lane.pool.things.get(name)?.length ?? 0) === 0);
    const makers = operations.filter((each) => missing.includes(mainComponent(lane.document, each) ?? "") && paramsIn(each, "path").length === 0);
    if (makers.length === 0 || chance(draw, 0.1)) return operation;
    operation = draw(fc.constantFrom(...makers));
  }
  return operation;
}

function componentsNeeded({ document }: Lane, operation: Operation): string[] {
  const inPath = paramsIn(operation, "path").map(({ name }) =>
    componentAt(document, operation.path.slice(0, operation.path.indexOf(`{${name}}`) + name.length + 2)),
  );
  const inBody = (operation.body?.required ?? []).filter((name) => name.endsWith("Id")).map((name) => componentNamed(document, name));
  return [...inPath, ...inBody].filter((name) => name !== undefined);
}

/** What was accepted, with one member otherwise: a posted entry becomes a draft. */
function varied({ document }: Lane, plan: Plan, draw: Draw): Plan {
  const members = Object.entries(plan.operation.body?.properties ?? {});
  if (members.length === 0) return plan;
  const [name, schema] = draw(fc.constantFrom(...members));
  return { ...plan, body: { ...(plan.body as Thing), [name]: draw(valuesOf(document, schema, name)) } };
}

/** Something new, or what was accepted once with other ids. */
function aPlan(lane: Lane, operation: Operation, draw: Draw): Plan {
  const templates = lane.templates.get(operation.id) ?? [];
  const made = planFor(lane.document, operation, draw);
  if (templates.length === 0 || chance(draw, 0.5)) return made;
  const kept = { ...draw(fc.constantFrom(...templates)), headers: made.headers };
  return chance(draw, 0.4) ? varied(lane, kept, draw) : kept;
}

/** What a browser's user would type again: an address and its password, as they were accepted before. */
function withKnownWords(lane: Lane, sent: Sent, draw: Draw): Sent {
  const { operation, body } = sent;
  const required = operation.body?.required ?? [];
  if (operation.credential || required.length === 0 || !chance(draw, 0.5)) return sent;
  const known = lane.pool.accepted.filter((each) => required.every((name) => typeof each[name] === "string"));
  if (known.length === 0) return sent;
  const words = draw(fc.constantFrom(...known));
  return { ...sent, body: { ...(body as Thing), ...Object.fromEntries(required.map((name) => [name, words[name]])) } };
}

/** A valid request as it goes out, now and then with what the document offers besides. */
function dressed(lane: Lane, sent: Sent, draw: Draw): Sent {
  const types = [...(sent.operation.answers.get(200)?.keys() ?? [])];
  const accept = types.length > 1 && chance(draw, 0.25) ? { Accept: draw(fc.constantFrom(...types)) } : {};
  return bySomebody(lane, { ...sent, headers: { ...sent.headers, ...accept } }, draw);
}

async function rightly(lane: Lane, operation: Operation, draw: Draw): Promise<void> {
  let plan = aPlan(lane, operation, draw);
  let sent: Sent | undefined;
  for (let attempt = 0; attempt <= MENDINGS; attempt++) {
    sent = dressed(lane, withKnownWords(lane, resolved(lane.document, lane.pool, plan, draw).sent, draw), draw);
    const hasKey = paramsIn(operation, "header").some(({ name }) => name === "Idempotency-Key");
    const answer: Answer =
      hasKey && chance(draw, 0.2)
        ? await tryKey(lane, sent, resolved(lane.document, lane.pool, planFor(lane.document, operation, draw), draw).sent.body)
        : await ask(lane, sent, "valid");
    if (answer.status === 200) {
      const kept = lane.templates.get(operation.id) ?? [];
      lane.templates.set(operation.id, [...kept, plan].slice(-KEPT));
      return followUp(lane, sent, answer);
    }
    const next = answer.status === 400 ? mended(lane.document, plan, errorsOf(answer), draw) : undefined;
    if (!next) return;
    plan = next;
  }
}

async function wildly(lane: Lane, operation: Operation, draw: Draw): Promise<void> {
  const plan = planFor(lane.document, operation, draw, "wild");
  const [template] = lane.templates.get(operation.id) ?? [];
  // A wild member in an otherwise sensible request gets further than a wild request.
  const members = Object.keys((plan.body ?? {}) as Thing);
  const mixed =
    template && members.length > 0 && chance(draw, 0.7)
      ? {
          ...plan,
          body: { ...(template.body as Thing), ...Object.fromEntries([draw(fc.constantFrom(...members))].map((name) => [name, (plan.body as Thing)[name]])) },
        }
      : plan;
  await ask(lane, dressed(lane, resolved(lane.document, lane.pool, mixed, draw).sent, draw), "valid");
}

async function wrongly(lane: Lane, operation: Operation, draw: Draw): Promise<void> {
  const sent = bySomebody(lane, resolved(lane.document, lane.pool, aPlan(lane, operation, draw), draw).sent, draw);
  const bad = operation.body && chance(draw, 0.12) ? garbled(sent, draw) : spoiled(lane.document, sent, draw);
  if (chance(draw, 0.1)) return leavesNothing(lane, bad, () => ask(lane, bad, "invalid"));
  await ask(lane, bad, "invalid");
}

async function asAStranger(lane: Lane, operation: Operation, draw: Draw): Promise<void> {
  const plan = operation.path.includes("{") || operation.body || chance(draw, 0.5) ? aPlan(lane, operation, draw) : withAFilter(lane, operation, draw);
  const { places } = resolved(lane.document, lane.pool, plan, draw);
  if (places.length === 0) return rightly(lane, operation, draw);
  const who = bySomebody(lane, places[0]!.put(""), draw);
  const dress = (sent: Sent): Sent => ({ ...sent, token: who.token, role: who.role });
  await tryForeign(lane, draw(fc.constantFrom(...places)), draw(fc.constantFrom(...lane.strangers())), dress);
}

/** A list asked for what belongs to one thing. */
function withAFilter(lane: Lane, operation: Operation, draw: Draw): Plan {
  const filters = paramsIn(operation, "query").filter(({ schema }) => schema.format === "uuid");
  const plan = planFor(lane.document, operation, draw);
  if (filters.length === 0) return plan;
  const { name } = draw(fc.constantFrom(...filters));
  return { ...plan, query: { ...plan.query, [name]: new Reference(name, draw(fc.nat())) } };
}

/** Without a token, with one that is none, and in a role that may not. */
async function asNobody(lane: Lane, operation: Operation, draw: Draw): Promise<void> {
  const { credential, roles } = operation;
  if (!credential) return wrongly(lane, operation, draw);
  const sent = resolved(lane.document, lane.pool, aPlan(lane, operation, draw), draw).sent;
  const genuine = Object.values(lane.tokens)[0]!;
  const others = Object.keys(lane.tokens).filter((role) => !roles.includes(role));
  if (others.length > 0 && chance(draw, 0.4)) {
    const role = draw(fc.constantFrom(...others));
    const refused: Sent = { ...sent, role, token: lane.tokens[role] };
    const answer = await ask(lane, refused, "invalid");
    if (answer.status !== 403)
      report(lane, { operation, check: "roleIgnored", sentence: `answered ${answer.status} to a ${role}: ${quote(answer)}`, sent: refused });
    return;
  }
  const token = draw(
    fc.constantFrom(undefined, "", "garbage", `${genuine}x`, genuine.slice(0, -8), genuine.replace(/^[^.]+/, "eyJhbGciOiJub25lIn0"), "a.b.c", "null"),
  );
  const unknown: Sent = { ...sent, token };
  const answer = await ask(lane, unknown, "invalid");
  if (answer.status !== 401)
    report(lane, { operation, check: "tokenIgnored", sentence: `answered ${answer.status} without a good token: ${quote(answer)}`, sent: unknown });
}

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"];

/** With a method that the path does not know. */
async function byAnotherMethod(lane: Lane, operation: Operation, draw: Draw): Promise<void> {
  const known = lane.document.methodsOf.get(operation.path) ?? [];
  const method = draw(fc.constantFrom(...METHODS.filter((each) => !known.includes(each))));
  const sent = { ...bySomebody(lane, resolved(lane.document, lane.pool, planFor(lane.document, operation, draw), draw).sent, draw), method };
  if (["GET", "TRACE"].includes(method)) delete sent.body;
  const { status, headers } = await ask(lane, sent, "invalid");
  const allowed = String(headers["allow"] ?? "").split(", ");
  if (status !== 405 || allowed.toSorted().join() !== known.toSorted().join())
    report(lane, {
      operation,
      check: "methodUnknown",
      sentence: `answered ${status} with Allow: ${allowed.join(", ")} to ${method}, and the document knows ${known.join(", ")}`,
      sent,
    });
}

/** For a version that nobody has seen. */
async function ofAnotherVersion(lane: Lane, operation: Operation, draw: Draw): Promise<void> {
  if (!paramsIn(operation, "header").some(({ name }) => name === "If-Match")) return rightly(lane, operation, draw);
  const plain = bySomebody(lane, resolved(lane.document, lane.pool, aPlan(lane, operation, draw), draw).sent, draw);
  const sent = { ...plain, headers: { ...plain.headers, "If-Match": draw(fc.constantFrom('"999999"', "garbage", '"-1"')) } };
  const answer = await ask(lane, sent, "invalid");
  if (answer.status === 200) report(lane, { operation, check: "versionIgnored", sentence: "changed another version than If-Match names", sent });
}

const weighted: [number, (lane: Lane, operation: Operation, draw: Draw) => Promise<void>][] = [
  [36, rightly],
  [9, wildly],
  [30, wrongly],
  [12, asAStranger],
  [7, asNobody],
  [3, byAnotherMethod],
  [3, ofAnotherVersion],
];
const ways = weighted.flatMap(([weight, way]) => Array.from({ length: weight }, () => way));

/** One step of a lane, wholly decided by its draw and by what the system has answered. */
export async function step(lane: Lane, draw: Draw): Promise<void> {
  const operation = nextOperation(lane, draw);
  const way = wasAccepted(lane, operation) || chance(draw, 0.5) ? draw(fc.constantFrom(...ways)) : rightly;
  await way(lane, operation, draw);
}
