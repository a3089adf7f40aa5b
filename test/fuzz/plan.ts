/** A request before its ids are known: made from the document, kept when it worked, mended where the answer says what is wrong. */
import fc from "fast-check";
import { valuesOf, type Mood } from "./document/arbitrary.ts";
import { followed, paramsIn, type ApiDocument, type Operation, type Parameter, type Schema } from "./document/document.ts";
import { componentAt, componentNamed, Reference, unknownId, type Pool, type Thing } from "./pool.ts";
import type { Sent } from "./request.ts";

export type Draw = <T>(arbitrary: fc.Arbitrary<T>) => T;

/** The same seed draws the same values. */
export function drawing(seed: number): Draw {
  const [values] = fc.sample(fc.gen(), { seed, numRuns: 1 });
  return (arbitrary) => values!(() => arbitrary);
}
export const chance = (draw: Draw, share: number): boolean => draw(fc.nat(999)) < share * 1000;

export interface Plan {
  operation: Operation;
  path: Thing;
  query: Thing;
  headers: Thing;
  body: unknown;
}

export function planFor(document: ApiDocument, operation: Operation, draw: Draw, mood: Mood = "tame"): Plan {
  const parameters = (where: Parameter["in"], share: number) =>
    Object.fromEntries(
      paramsIn(operation, where).flatMap(({ name, required, schema }) =>
        required || chance(draw, share) ? [[name, draw(valuesOf(document, schema, name, where === "path" ? "tame" : mood))]] : [],
      ),
    );
  const path = parameters("path", 1);
  const query = parameters("query", 0.15);
  const body = operation.body && draw(valuesOf(document, operation.body, "", mood));
  return {
    operation,
    path,
    query,
    headers: parameters("header", 0),
    body: mood === "tame" && chance(draw, 0.5) ? withOneAmount(body, draw(fc.constantFrom(1, 100, 2_500))) : body,
  };
}

/** The same amount of money everywhere, and in a list on alternate sides where there are several: what must add up has a chance to. */
function withOneAmount(value: unknown, cents: number): unknown {
  if (Array.isArray(value))
    return alternating(
      value.map((each) => withOneAmount(each, cents)),
      cents,
    );
  if (typeof value !== "object" || value === null || value instanceof Reference) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, name.endsWith("Cents") && typeof each === "number" ? cents : withOneAmount(each, cents)]),
  );
}

function alternating(items: unknown[], cents: number): unknown[] {
  const amounts = (item: unknown): string[] => (typeof item === "object" && item !== null ? Object.keys(item).filter((name) => name.endsWith("Cents")) : []);
  const sides = [...new Set(items.flatMap(amounts))];
  if (sides.length < 2) return items;
  return items.map((item, at) => ({
    ...Object.fromEntries(Object.entries(item as Thing).filter(([name]) => !sides.includes(name))),
    [sides[at % sides.length]!]: cents,
  }));
}

/** A text that stands where ids or secrets were answered before, if any were. */
const recalled = (pool: Pool, name: string, draw: Draw): string | undefined => {
  const known = pool.values.get(name) ?? [];
  return known.length > 0 ? draw(fc.constantFrom(...known.slice(-20))) : undefined;
};

export interface Resolved {
  sent: Sent;
  /** Where ids stand: how to put another one there. */
  places: { in: "path" | "query" | "body"; component: string | undefined; put: (id: string) => Sent }[];
}

/** Puts ids where the references are: things of this organization that belong together. */
export function resolved(document: ApiDocument, pool: Pool, { operation, path, query, headers, body }: Plan, draw: Draw): Resolved {
  const chosen: Thing = {};
  /** What the chosen things say of others: the lease names its tenant. */
  const implied: Thing = {};
  const places: Resolved["places"] = [];
  const idFor = ({ member, pick }: Reference, component: string | undefined, beside: Thing): string => {
    if (typeof implied[member] === "string") return implied[member];
    const fitting = pool.fitting(component, member, { ...implied, ...chosen, ...beside });
    // A draft among a hundred posted entries is met as often as they are; two thirds of all are about the newest.
    const states = [...Map.groupBy(fitting, ({ status }) => status).values()];
    const alike = states[pick % (states.length || 1)] ?? [];
    const among = Math.floor(pick / 7) % (pick % 3 > 0 ? Math.min(8, alike.length || 1) : alike.length || 1);
    const thing = alike.at(-1 - among);
    const id = typeof thing?.["id"] === "string" ? thing["id"] : unknownId();
    chosen[member] = id;
    if (component) chosen[`${component[0]!.toLowerCase()}${component.slice(1)}Id`] = id;
    for (const [name, value] of Object.entries(thing ?? {})) if (name.endsWith("Id")) implied[name] ??= value;
    return id;
  };
  const settle = (value: unknown, beside: Thing): unknown => {
    if (value instanceof Reference) return idFor(value, componentNamed(document, value.member, beside), {});
    if (Array.isArray(value)) return value.map((each) => settle(each, beside));
    if (typeof value !== "object" || value === null) return value;
    const entries = Object.entries(value as Thing).toSorted(([a], [b]) => reach(document, pool, b) - reach(document, pool, a));
    return Object.fromEntries(entries.map(([name, each]) => [name, settle(each, value as Thing)]));
  };

  const pathText = Object.fromEntries(
    Object.entries(path).map(([name, value]) => [
      name,
      value instanceof Reference
        ? idFor(value, componentAt(document, upTo(operation.path, name)), {})
        : ((followedEnum(operation, name) ? undefined : recalled(pool, name, draw)) ?? String(value)),
    ]),
  );
  const queryText = settle(query, {}) as Thing;
  const settled = settle(body, {});
  const sent: Sent = {
    operation,
    method: operation.method,
    path: pathText,
    query: asQuery(operation, queryText),
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
    ...(body !== undefined && { body: settled }),
  };

  for (const [name, value] of Object.entries(path))
    if (value instanceof Reference)
      places.push({ in: "path", component: componentAt(document, upTo(operation.path, name)), put: (id) => ({ ...sent, path: { ...sent.path, [name]: id } }) });
  for (const [name, value] of Object.entries(query))
    if (value instanceof Reference)
      places.push({ in: "query", component: componentNamed(document, name, query), put: (id) => ({ ...sent, query: { ...sent.query, [name]: id } }) });
  for (const { at, member, beside } of referencesIn(body))
    places.push({ in: "body", component: componentNamed(document, member, beside), put: (id) => ({ ...sent, body: changedAt(settled, at, id) }) });
  return { sent, places };
}

/** The path up to and including a parameter. */
const upTo = (path: string, name: string): string => path.slice(0, path.indexOf(`{${name}}`) + name.length + 2);
const followedEnum = ({ parameters }: Operation, name: string) => parameters.find((each) => each.name === name)?.schema.enum;

/** How many other ids a member's thing brings along: a lease says its tenant and unit, so it is chosen before them. */
function reach(document: ApiDocument, pool: Pool, member: string): number {
  const component = /Ids?$/.test(member) ? componentNamed(document, member) : undefined;
  return component ? Object.keys(pool.things.get(component)?.at(-1) ?? {}).filter((name) => name.endsWith("Id")).length : -1;
}

/** What lies between a caller and a service need not carry more than 8 000 octets of a target. */
export const LONGEST_IN_QUERY = 300;

export function asQuery(operation: Operation, query: Thing): Sent["query"] {
  const known = paramsIn(operation, "query");
  return Object.fromEntries(
    Object.entries(query)
      .filter(([, value]) => value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0))
      .map(([name, value]) => {
        if (!Array.isArray(value)) return [name, String(value).slice(0, LONGEST_IN_QUERY)];
        return [name, known.find((each) => each.name === name)?.explode === false ? value.join(",") : value.map(String)];
      }),
  );
}

interface Found {
  at: string[];
  member: string;
  beside: Thing;
}
function referencesIn(value: unknown, at: string[] = [], beside: Thing = {}): Found[] {
  if (value instanceof Reference) return [{ at, member: value.member, beside }];
  if (Array.isArray(value)) return value.flatMap((each, index) => referencesIn(each, [...at, String(index)], beside));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value as Thing).flatMap(([name, each]) => referencesIn(each, [...at, name], value as Thing));
}

/** A copy of a value in which something else stands at a place; undefined takes it away. */
export function changedAt(value: unknown, at: readonly string[], to: unknown): unknown {
  const [head, ...rest] = at;
  if (head === undefined) return to;
  if (Array.isArray(value)) {
    const changed = value.map((each, index) => (String(index) === head ? changedAt(each, rest, to) : (each as unknown)));
    return to === undefined && rest.length === 0 ? changed.filter((_, index) => String(index) !== head) : changed;
  }
  if (typeof value !== "object" || value === null || value instanceof Reference) return value;
  const others = Object.entries(value).filter(([name]) => name !== head);
  const changed = changedAt((value as Thing)[head], rest, to);
  return Object.fromEntries(changed === undefined && rest.length === 0 ? others : [...others, [head, changed]]);
}

/** The schema at a place of a body, and whether a value must be there. */
export function schemaAt(document: ApiDocument, schema: Schema, at: readonly string[]): { schema: Schema; isRequired: boolean } | undefined {
  let found = { schema, isRequired: true };
  for (const step of at) {
    const it = followed(document, found.schema);
    const next = it.type === "array" ? it.items : it.properties?.[step];
    if (!next) return undefined;
    found = { schema: next, isRequired: it.type === "array" ? false : (it.required?.includes(step) ?? false) };
  }
  return found;
}

/** Another attempt, with what the answer complains about added, left out, or made anew. Undefined when it says nothing to go by. */
export function mended(document: ApiDocument, plan: Plan, errors: readonly { path: string; code: string }[], draw: Draw): Plan | undefined {
  let { query, body } = plan;
  let isChanged = false;
  for (const { path, code } of errors) {
    const at = path.split(".");
    const parameter = paramsIn(plan.operation, "query").find(({ name }) => name === path);
    const inBody = plan.operation.body && schemaAt(document, plan.operation.body, at);
    const found = inBody ?? (parameter && { schema: parameter.schema, isRequired: parameter.required === true });
    if (!found) continue;
    const isWanted = code === "required" || found.isRequired || (code !== "not_allowed" && chance(draw, 0.5));
    const made = isWanted ? draw(valuesOf(document, { ...found.schema, nullable: false }, at.at(-1))) : undefined;
    const value = chance(draw, 0.7) ? withOneAmount(made, 100) : made;
    if (inBody) body = changedAt(body, at, value);
    else query = changedAt(query, at, value) as Thing;
    isChanged = true;
  }
  return isChanged ? { ...plan, query, body } : undefined;
}
