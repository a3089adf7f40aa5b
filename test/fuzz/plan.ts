/** Request plans: requests generated from the document with references in place of ids, reused when accepted and repaired when refused. */
import fc from "fast-check";
import { arbitraryOf, type Variety } from "./document/arbitrary.ts";
import { resolveRef, paramsIn, type ApiDocument, type Operation, type Parameter, type Schema } from "./document/document.ts";
import { componentAtPath, componentOfMember, Reference, unknownId, type Pool, type Entity } from "./pool.ts";
import type { FuzzRequest } from "./request.ts";

export type Draw = <T>(arbitrary: fc.Arbitrary<T>) => T;

/** Creates a seeded source of arbitrary values. */
export function createDraw(seed: number): Draw {
  const [values] = fc.sample(fc.gen(), { seed, numRuns: 1 });
  return (arbitrary) => values!(() => arbitrary);
}
export const chance = (draw: Draw, share: number): boolean => draw(fc.nat(999)) < share * 1000;

export interface RequestPlan {
  operation: Operation;
  path: Entity;
  query: Entity;
  headers: Entity;
  body: unknown;
}

export function planRequest(document: ApiDocument, operation: Operation, draw: Draw, variety: Variety = "common"): RequestPlan {
  const parameters = (where: Parameter["in"], share: number) =>
    Object.fromEntries(
      paramsIn(operation, where).flatMap(({ name, required, schema }) =>
        required || chance(draw, share) ? [[name, draw(arbitraryOf(document, schema, name, where === "path" ? "common" : variety))]] : [],
      ),
    );
  const path = parameters("path", 1);
  const query = parameters("query", 0.15);
  const body = operation.body && draw(arbitraryOf(document, operation.body, "", variety));
  return {
    operation,
    path,
    query,
    headers: parameters("header", 0),
    body: variety === "common" && chance(draw, 0.5) ? withEqualAmounts(body, draw(fc.constantFrom(1, 100, 2_500))) : body,
  };
}

/** Sets all amounts to the same value, and alternates debit and credit in lists, so that entries may balance. */
function withEqualAmounts(value: unknown, cents: number): unknown {
  if (Array.isArray(value))
    return alternateSides(
      value.map((each) => withEqualAmounts(each, cents)),
      cents,
    );
  if (typeof value !== "object" || value === null || value instanceof Reference) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, name.endsWith("Cents") && typeof each === "number" ? cents : withEqualAmounts(each, cents)]),
  );
}

function alternateSides(items: unknown[], cents: number): unknown[] {
  const amounts = (item: unknown): string[] => (typeof item === "object" && item !== null ? Object.keys(item).filter((name) => name.endsWith("Cents")) : []);
  const sides = [...new Set(items.flatMap(amounts))];
  if (sides.length < 2) return items;
  return items.map((item, at) => ({
    ...Object.fromEntries(Object.entries(item as Entity).filter(([name]) => !sides.includes(name))),
    [sides[at % sides.length]!]: cents,
  }));
}

/** Returns a recent value of a response member of this name, if any. */
const recallValue = (pool: Pool, name: string, draw: Draw): string | undefined => {
  const known = pool.values.get(name) ?? [];
  return known.length > 0 ? draw(fc.constantFrom(...known.slice(-20))) : undefined;
};

export interface ResolvedRequest {
  sent: FuzzRequest;
  /** Ids in the request, with a function that replaces each. */
  references: { in: "path" | "query" | "body"; component: string | undefined; put: (id: string) => FuzzRequest }[];
}

/** Replaces the references of a plan by ids of related entities of the organization. */
export function resolveReferences(document: ApiDocument, pool: Pool, { operation, path, query, headers, body }: RequestPlan, draw: Draw): ResolvedRequest {
  const chosen: Entity = {};
  /** Ids implied by the chosen entities, such as the tenant of a lease. */
  const implied: Entity = {};
  const references: ResolvedRequest["references"] = [];
  const idFor = ({ member, pick }: Reference, component: string | undefined, beside: Entity): string => {
    if (typeof implied[member] === "string") return implied[member];
    const fitting = pool.candidates(component, member, { ...implied, ...chosen, ...beside });
    // Each status is equally likely, and two thirds of the picks are among the newest entities.
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
  const settle = (value: unknown, beside: Entity): unknown => {
    if (value instanceof Reference) return idFor(value, componentOfMember(document, value.member, beside), {});
    if (Array.isArray(value)) return value.map((each) => settle(each, beside));
    if (typeof value !== "object" || value === null) return value;
    const entries = Object.entries(value as Entity).toSorted(([a], [b]) => countForeignKeys(document, pool, b) - countForeignKeys(document, pool, a));
    return Object.fromEntries(entries.map(([name, each]) => [name, settle(each, value as Entity)]));
  };

  const pathText = Object.fromEntries(
    Object.entries(path).map(([name, value]) => [
      name,
      value instanceof Reference
        ? idFor(value, componentAtPath(document, pathUpTo(operation.path, name)), {})
        : ((parameterEnum(operation, name) ? undefined : recallValue(pool, name, draw)) ?? String(value)),
    ]),
  );
  const queryText = settle(query, {}) as Entity;
  const settled = settle(body, {});
  const sent: FuzzRequest = {
    operation,
    method: operation.method,
    path: pathText,
    query: asQuery(operation, queryText),
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
    ...(body !== undefined && { body: settled }),
  };

  for (const [name, value] of Object.entries(path))
    if (value instanceof Reference)
      references.push({
        in: "path",
        component: componentAtPath(document, pathUpTo(operation.path, name)),
        put: (id) => ({ ...sent, path: { ...sent.path, [name]: id } }),
      });
  for (const [name, value] of Object.entries(query))
    if (value instanceof Reference)
      references.push({ in: "query", component: componentOfMember(document, name, query), put: (id) => ({ ...sent, query: { ...sent.query, [name]: id } }) });
  for (const { at, member, beside } of referencesIn(body))
    references.push({ in: "body", component: componentOfMember(document, member, beside), put: (id) => ({ ...sent, body: replaceAt(settled, at, id) }) });
  return { sent, references };
}

/** Returns the path up to and including a parameter. */
const pathUpTo = (path: string, name: string): string => path.slice(0, path.indexOf(`{${name}}`) + name.length + 2);
const parameterEnum = ({ parameters }: Operation, name: string) => parameters.find((each) => each.name === name)?.schema.enum;

/** Counts the foreign keys of a member's entity. A lease determines its tenant and unit, so it is chosen first. */
function countForeignKeys(document: ApiDocument, pool: Pool, member: string): number {
  const component = /Ids?$/.test(member) ? componentOfMember(document, member) : undefined;
  return component ? Object.keys(pool.entities.get(component)?.at(-1) ?? {}).filter((name) => name.endsWith("Id")).length : -1;
}

/** Keeps the request target below the 8,000 octets that intermediaries must support. */
export const MAX_QUERY_VALUE_LENGTH = 300;

export function asQuery(operation: Operation, query: Entity): FuzzRequest["query"] {
  const known = paramsIn(operation, "query");
  return Object.fromEntries(
    Object.entries(query)
      .filter(([, value]) => value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0))
      .map(([name, value]) => {
        if (!Array.isArray(value)) return [name, String(value).slice(0, MAX_QUERY_VALUE_LENGTH)];
        return [name, known.find((each) => each.name === name)?.explode === false ? value.join(",") : value.map(String)];
      }),
  );
}

interface FoundReference {
  at: string[];
  member: string;
  beside: Entity;
}
function referencesIn(value: unknown, at: string[] = [], beside: Entity = {}): FoundReference[] {
  if (value instanceof Reference) return [{ at, member: value.member, beside }];
  if (Array.isArray(value)) return value.flatMap((each, index) => referencesIn(each, [...at, String(index)], beside));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value as Entity).flatMap(([name, each]) => referencesIn(each, [...at, name], value as Entity));
}

/** Returns a copy with the value at a path replaced, or removed if undefined. */
export function replaceAt(value: unknown, at: readonly string[], to: unknown): unknown {
  const [head, ...rest] = at;
  if (head === undefined) return to;
  if (Array.isArray(value)) {
    const changed = value.map((each, index) => (String(index) === head ? replaceAt(each, rest, to) : (each as unknown)));
    return to === undefined && rest.length === 0 ? changed.filter((_, index) => String(index) !== head) : changed;
  }
  if (typeof value !== "object" || value === null || value instanceof Reference) return value;
  const others = Object.entries(value).filter(([name]) => name !== head);
  const changed = replaceAt((value as Entity)[head], rest, to);
  return Object.fromEntries(changed === undefined && rest.length === 0 ? others : [...others, [head, changed]]);
}

/** Returns the schema at a path of a body and whether it is required. */
export function schemaAt(document: ApiDocument, schema: Schema, at: readonly string[]): { schema: Schema; isRequired: boolean } | undefined {
  let found = { schema, isRequired: true };
  for (const step of at) {
    const it = resolveRef(document, found.schema);
    const next = it.type === "array" ? it.items : it.properties?.[step];
    if (!next) return undefined;
    found = { schema: next, isRequired: it.type === "array" ? false : (it.required?.includes(step) ?? false) };
  }
  return found;
}

/** Repairs a refused plan by adding, removing or regenerating the members named in the errors. Undefined if no error names one. */
export function repairPlan(document: ApiDocument, plan: RequestPlan, errors: readonly { path: string; code: string }[], draw: Draw): RequestPlan | undefined {
  let { query, body } = plan;
  let isChanged = false;
  for (const { path, code } of errors) {
    const at = path.split(".");
    const parameter = paramsIn(plan.operation, "query").find(({ name }) => name === path);
    const inBody = plan.operation.body && schemaAt(document, plan.operation.body, at);
    const found = inBody ?? (parameter && { schema: parameter.schema, isRequired: parameter.required === true });
    if (!found) continue;
    const isWanted = code === "required" || found.isRequired || (code !== "not_allowed" && chance(draw, 0.5));
    const made = isWanted ? draw(arbitraryOf(document, { ...found.schema, nullable: false }, at.at(-1))) : undefined;
    const value = chance(draw, 0.7) ? withEqualAmounts(made, 100) : made;
    if (inBody) body = replaceAt(body, at, value);
    else query = replaceAt(query, at, value) as Entity;
    isChanged = true;
  }
  return isChanged ? { ...plan, query, body } : undefined;
}
