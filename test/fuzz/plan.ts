/** Request plans: requests generated from the document with references instead of ids. Accepted plans are reused, refused ones are repaired. */
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
/** Returns true with a probability, exact to a thousandth. */
export const chance = (draw: Draw, probability: number): boolean => draw(fc.nat(999)) < probability * 1000;

export interface RequestPlan {
  operation: Operation;
  path: Entity;
  query: Entity;
  headers: Entity;
  body: unknown;
}

export function planRequest(document: ApiDocument, operation: Operation, draw: Draw, variety: Variety = "common"): RequestPlan {
  const parameters = (location: Parameter["in"], probability: number) =>
    Object.fromEntries(
      paramsIn(operation, location).flatMap(({ name, required, schema }) =>
        required || chance(draw, probability) ? [[name, draw(arbitraryOf(document, schema, name, location === "path" ? "common" : variety))]] : [],
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

/**
 * Sets all amounts to the same value. In a list whose items have several amounts, each item keeps one, such as debit and credit in
 * turn, so that entries may balance.
 */
function withEqualAmounts(value: unknown, cents: number): unknown {
  if (Array.isArray(value))
    return alternateAmounts(
      value.map((each) => withEqualAmounts(each, cents)),
      cents,
    );
  if (typeof value !== "object" || value === null || value instanceof Reference) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, name.endsWith("Cents") && typeof each === "number" ? cents : withEqualAmounts(each, cents)]),
  );
}

function alternateAmounts(items: unknown[], cents: number): unknown[] {
  const amountNames = (item: unknown): string[] =>
    typeof item === "object" && item !== null ? Object.keys(item).filter((name) => name.endsWith("Cents")) : [];
  const amountMembers = [...new Set(items.flatMap(amountNames))];
  if (amountMembers.length < 2) return items;
  return items.map((item, index) => ({
    ...Object.fromEntries(Object.entries(item as Entity).filter(([name]) => !amountMembers.includes(name))),
    [amountMembers[index % amountMembers.length]!]: cents,
  }));
}

/** Returns a recent text of a response member of this name, if any. */
const recallValue = (pool: Pool, name: string, draw: Draw): string | undefined => {
  const known = pool.values.get(name) ?? [];
  return known.length > 0 ? draw(fc.constantFrom(...known.slice(-20))) : undefined;
};

export interface ResolvedRequest {
  request: FuzzRequest;
  /** Ids in the request, each with a function that returns the request with another id. */
  references: { in: "path" | "query" | "body"; component: string | undefined; withId: (id: string) => FuzzRequest }[];
}

/** Replaces the references of a plan by ids of related entities of the organization. */
export function resolveReferences(document: ApiDocument, pool: Pool, { operation, path, query, headers, body }: RequestPlan, draw: Draw): ResolvedRequest {
  /** Ids chosen so far, by member name and by component. */
  const chosen: Entity = {};
  /** Ids implied by the chosen entities, such as the tenant of a lease. */
  const implied: Entity = {};
  const references: ResolvedRequest["references"] = [];
  const idFor = ({ member, pick }: Reference, component: string | undefined, siblings: Entity): string => {
    if (typeof implied[member] === "string") return implied[member];
    const candidates = pool.candidates(component, member, { ...implied, ...chosen, ...siblings });
    // Each status is equally likely, and two thirds of the picks are among the newest entities.
    const groups = [...Map.groupBy(candidates, ({ status }) => status).values()];
    const group = groups[pick % (groups.length || 1)] ?? [];
    const offset = Math.floor(pick / 7) % (pick % 3 > 0 ? Math.min(8, group.length || 1) : group.length || 1);
    const entity = group.at(-1 - offset);
    const id = typeof entity?.["id"] === "string" ? entity["id"] : unknownId();
    chosen[member] = id;
    if (component) chosen[`${component[0]!.toLowerCase()}${component.slice(1)}Id`] = id;
    for (const [name, value] of Object.entries(entity ?? {})) if (name.endsWith("Id")) implied[name] ??= value;
    return id;
  };
  const resolveValue = (value: unknown, siblings: Entity): unknown => {
    if (value instanceof Reference) return idFor(value, componentOfMember(document, value.member, siblings), {});
    if (Array.isArray(value)) return value.map((each) => resolveValue(each, siblings));
    if (typeof value !== "object" || value === null) return value;
    const entries = Object.entries(value as Entity).toSorted(([a], [b]) => countForeignKeys(document, pool, b) - countForeignKeys(document, pool, a));
    return Object.fromEntries(entries.map(([name, each]) => [name, resolveValue(each, value as Entity)]));
  };

  const resolvedPath = Object.fromEntries(
    Object.entries(path).map(([name, value]) => [
      name,
      value instanceof Reference
        ? idFor(value, componentAtPath(document, pathUpTo(operation.path, name)), {})
        : ((parameterEnum(operation, name) ? undefined : recallValue(pool, name, draw)) ?? String(value)),
    ]),
  );
  const resolvedQuery = resolveValue(query, {}) as Entity;
  const resolvedBody = resolveValue(body, {});
  const request: FuzzRequest = {
    operation,
    method: operation.method,
    path: resolvedPath,
    query: queryOf(operation, resolvedQuery),
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
    ...(body !== undefined && { body: resolvedBody }),
  };

  for (const [name, value] of Object.entries(path))
    if (value instanceof Reference)
      references.push({
        in: "path",
        component: componentAtPath(document, pathUpTo(operation.path, name)),
        withId: (id) => ({ ...request, path: { ...request.path, [name]: id } }),
      });
  for (const [name, value] of Object.entries(query))
    if (value instanceof Reference)
      references.push({
        in: "query",
        component: componentOfMember(document, name, query),
        withId: (id) => ({ ...request, query: { ...request.query, [name]: id } }),
      });
  for (const { path: memberPath, member, siblings } of referencesIn(body))
    references.push({
      in: "body",
      component: componentOfMember(document, member, siblings),
      withId: (id) => ({ ...request, body: replaceAt(resolvedBody, memberPath, id) }),
    });
  return { request, references };
}

/** Returns the path up to and including a parameter. */
const pathUpTo = (path: string, name: string): string => path.slice(0, path.indexOf(`{${name}}`) + name.length + 2);
const parameterEnum = ({ parameters }: Operation, name: string) => parameters.find((each) => each.name === name)?.schema.enum;

/** Counts the foreign keys of a member's entity. A lease determines its tenant and unit, so it is chosen first. */
function countForeignKeys(document: ApiDocument, pool: Pool, member: string): number {
  const component = /Ids?$/.test(member) ? componentOfMember(document, member) : undefined;
  return component ? Object.keys(pool.entities.get(component)?.at(-1) ?? {}).filter((name) => name.endsWith("Id")).length : -1;
}

/** Keeps the request target below the 8,000 octets that RFC 9110 recommends every server and proxy to support. */
export const MAX_QUERY_VALUE_LENGTH = 300;

export function queryOf(operation: Operation, query: Entity): FuzzRequest["query"] {
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

interface LocatedReference {
  path: string[];
  member: string;
  siblings: Entity;
}
function referencesIn(value: unknown, path: string[] = [], siblings: Entity = {}): LocatedReference[] {
  if (value instanceof Reference) return [{ path, member: value.member, siblings }];
  if (Array.isArray(value)) return value.flatMap((each, index) => referencesIn(each, [...path, String(index)], siblings));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value as Entity).flatMap(([name, each]) => referencesIn(each, [...path, name], value as Entity));
}

/** Returns a copy with the value at a path replaced, or removed if undefined. */
export function replaceAt(value: unknown, path: readonly string[], replacement: unknown): unknown {
  const [head, ...rest] = path;
  if (head === undefined) return replacement;
  if (Array.isArray(value)) {
    const changed = value.map((each, index) => (String(index) === head ? replaceAt(each, rest, replacement) : (each as unknown)));
    return replacement === undefined && rest.length === 0 ? changed.filter((_, index) => String(index) !== head) : changed;
  }
  if (typeof value !== "object" || value === null || value instanceof Reference) return value;
  const others = Object.entries(value).filter(([name]) => name !== head);
  const changed = replaceAt((value as Entity)[head], rest, replacement);
  return Object.fromEntries(changed === undefined && rest.length === 0 ? others : [...others, [head, changed]]);
}

/** Returns the schema at a path of a body and whether it is required. */
export function schemaAt(document: ApiDocument, schema: Schema, path: readonly string[]): { schema: Schema; isRequired: boolean } | undefined {
  let found = { schema, isRequired: true };
  for (const step of path) {
    const resolved = resolveRef(document, found.schema);
    const next = resolved.type === "array" ? resolved.items : resolved.properties?.[step];
    if (!next) return undefined;
    found = { schema: next, isRequired: resolved.type === "array" ? false : (resolved.required?.includes(step) ?? false) };
  }
  return found;
}

/** Repairs a refused plan by adding, removing or regenerating the members that the errors name; undefined if none is named. */
export function repairPlan(document: ApiDocument, plan: RequestPlan, errors: readonly { path: string; code: string }[], draw: Draw): RequestPlan | undefined {
  let { query, body } = plan;
  let isChanged = false;
  for (const { path, code } of errors) {
    const memberPath = path.split(".");
    const parameter = paramsIn(plan.operation, "query").find(({ name }) => name === path);
    const bodyMember = plan.operation.body && schemaAt(document, plan.operation.body, memberPath);
    const target = bodyMember ?? (parameter && { schema: parameter.schema, isRequired: parameter.required === true });
    if (!target) continue;
    const isNeeded = code === "required" || target.isRequired || (code !== "not_allowed" && chance(draw, 0.5));
    const generated = isNeeded ? draw(arbitraryOf(document, { ...target.schema, nullable: false }, memberPath.at(-1))) : undefined;
    const value = chance(draw, 0.7) ? withEqualAmounts(generated, 100) : generated;
    if (bodyMember) body = replaceAt(body, memberPath, value);
    else query = replaceAt(query, memberPath, value) as Entity;
    isChanged = true;
  }
  return isChanged ? { ...plan, query, body } : undefined;
}
