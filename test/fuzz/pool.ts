/**
 * Pool of the entities that an organization has returned, by component name, so that later requests refer to existing
 * entities. A request plan holds references, which are replaced by ids before sending.
 */
import { randomUUID } from "node:crypto";
import { componentOf, resolveRef, responseSchema, normalizePath, type ApiDocument, type Operation, type Schema } from "./document/document.ts";

/** Placeholder of an id: `member` is its name, `pick` selects one of the candidates. */
export class Reference {
  readonly member: string;
  readonly pick: number;
  constructor(member: string, pick: number) {
    this.member = member;
    this.pick = pick;
  }
}

export type Entity = Record<string, unknown>;

const UUIDS = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g;
export const idsIn = (text: string): Set<string> => new Set(text.match(UUIDS));

/** Organization that first received each id. */
export type Ownership = Map<string, Pool>;

/** Maximum entities kept per component, the newest ones. */
const MAX_KEPT = 150;

export class Pool {
  readonly document: ApiDocument;
  readonly ownership: Ownership;
  readonly entities = new Map<string, Entity[]>();
  /** Texts by member name. */
  readonly values = new Map<string, string[]>();
  /** Accepted bodies of public operations, whose values (such as passwords) are reused. */
  readonly accepted: Entity[] = [];

  constructor(document: ApiDocument, ownership: Ownership) {
    this.document = document;
    this.ownership = ownership;
  }

  /** Adds the entities and texts of a successful response. */
  learn(operation: Operation, json: unknown): void {
    const schema = responseSchema(operation);
    if (schema) this.#walk(schema, json);
  }

  rememberBody(body: unknown): void {
    if (isEntity(body)) pushBounded(this.accepted, body);
  }

  #walk(schema: Schema, value: unknown): void {
    const name = componentOf(schema);
    const it = resolveRef(this.document, schema);
    if (Array.isArray(value)) {
      if (it.items) for (const each of value) this.#walk(it.items, each);
      return;
    }
    if (!isEntity(value)) return;
    if (typeof value["id"] === "string") {
      if (!this.ownership.has(value["id"])) this.ownership.set(value["id"], this);
      if (name && this.ownership.get(value["id"]) === this) this.#put(name, value);
    }
    for (const [member, each] of Object.entries(value)) {
      if (typeof each === "string") pushBounded(bucket(this.values, member), each);
      else if (it.properties?.[member]) this.#walk(it.properties[member], each);
    }
  }

  #put(name: string, thing: Entity): void {
    const known = bucket(this.entities, name);
    const at = known.findIndex(({ id }) => id === thing["id"]);
    if (at >= 0) known.splice(at, 1);
    pushBounded(known, thing);
  }

  /** Removes a deleted entity. */
  forget(id: string): void {
    for (const known of this.entities.values()) {
      const at = known.findIndex((each) => each["id"] === id);
      if (at >= 0) known.splice(at, 1);
    }
  }

  /** Returns the entities that a reference may point to, consistent with its siblings: a unit of the chosen property, a charge of the chosen lease. */
  candidates(component: string | undefined, member: string, siblings: Entity): Entity[] {
    const known = component ? (this.entities.get(component) ?? []) : (this.values.get(member) ?? []).map((id): Entity => ({ id }));
    const consistent = known.filter((thing) =>
      Object.entries(siblings).every(([name, id]) => typeof id !== "string" || !name.endsWith("Id") || !(name in thing) || thing[name] === id),
    );
    return consistent.length > 0 ? consistent : known;
  }
}

const isEntity = (value: unknown): value is Entity => typeof value === "object" && value !== null && !Array.isArray(value);
const bucket = <T>(map: Map<string, T[]>, name: string): T[] => map.get(name) ?? map.set(name, []).get(name)!;
function pushBounded<T>(all: T[], one: T): void {
  all.push(one);
  if (all.length > MAX_KEPT) all.shift();
}

/** Returns the component that a member refers to: `leaseId` to Lease, `actorUserId` to User, `entityId` to the sibling `entityType`. */
export function componentOfMember({ schemas }: ApiDocument, member: string, beside: Entity = {}): string | undefined {
  const stem = member.replace(/Ids?$/, "");
  const siblingType = beside[`${stem}Type`];
  const pascal = (text: string) => text.replace(/(^|_)([a-z])/g, (_all, _start, letter: string) => letter.toUpperCase());
  const words = pascal(stem).match(/[A-Z][a-z\d]*/g) ?? [];
  const names = [typeof siblingType === "string" ? pascal(siblingType) : "", ...words.map((_, at) => words.slice(at).join(""))];
  return names.find((name) => name in schemas);
}

/** Returns the component at a path that ends in a parameter: the one returned there, or created at its parent. */
export function componentAtPath(document: ApiDocument, path: string): string | undefined {
  const place = normalizePath(path);
  const places = [place, place.replace(/\/\{\}$/, "")];
  const found = places.flatMap((each) => document.operations.filter((operation) => normalizePath(operation.path) === each));
  const within = document.operations.filter((operation) => normalizePath(operation.path).startsWith(`${place}/`));
  return [...found, ...within].map((operation) => mainComponent(document, operation)).find((name) => name !== undefined);
}

/** Returns the component of the first member of an operation's response. */
export function mainComponent(document: ApiDocument, operation: Operation): string | undefined {
  const first = Object.values(responseSchema(operation)?.properties ?? {})[0];
  if (!first) return undefined;
  const name = componentOf(first) ?? componentOf(resolveRef(document, first).items ?? {});
  return name && document.schemas[name]?.properties?.["id"] ? name : undefined;
}

/** Returns an unused id. */
export const unknownId = (): string => randomUUID();
