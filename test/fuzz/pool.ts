/**
 * Pool of the entities that an organization has returned, by component name, so that later requests refer to existing
 * entities. A request plan holds references, which are replaced by ids before sending.
 */
import { randomUUID } from "node:crypto";
import { componentOf, resolveRef, responseSchema, normalizePath, type ApiDocument, type Operation, type Schema } from "./document/document.ts";

/** Placeholder of an id: `member` is the name of the member or parameter, `pick` selects one of the candidates. */
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

/** Pool of the organization that first received each id. */
export type Ownership = Map<string, Pool>;

/** Maximum entities of a component, texts of a member name and accepted bodies. The oldest are dropped. */
const MAX_PER_LIST = 150;

export class Pool {
  readonly document: ApiDocument;
  readonly ownership: Ownership;
  readonly entities = new Map<string, Entity[]>();
  /** Texts of responses by member name. */
  readonly values = new Map<string, string[]>();
  /** Accepted bodies of public operations, whose values (such as passwords) are reused. */
  readonly acceptedBodies: Entity[] = [];

  constructor(document: ApiDocument, ownership: Ownership) {
    this.document = document;
    this.ownership = ownership;
  }

  /** Adds the entities and texts of a successful response to an operation that requires a token. */
  addResponse(operation: Operation, json: unknown): void {
    const schema = responseSchema(operation);
    if (schema) this.#addEntitiesOf(schema, json);
  }

  /** Adds the body of an accepted public request. */
  addAcceptedBody(body: unknown): void {
    if (isEntity(body)) pushBounded(this.acceptedBodies, body);
  }

  #addEntitiesOf(schema: Schema, value: unknown): void {
    const name = componentOf(schema);
    const resolved = resolveRef(this.document, schema);
    if (Array.isArray(value)) {
      if (resolved.items) for (const each of value) this.#addEntitiesOf(resolved.items, each);
      return;
    }
    if (!isEntity(value)) return;
    if (typeof value["id"] === "string") {
      if (!this.ownership.has(value["id"])) this.ownership.set(value["id"], this);
      if (name && this.ownership.get(value["id"]) === this) this.#addEntity(name, value);
    }
    for (const [member, each] of Object.entries(value)) {
      if (typeof each === "string") pushBounded(listAt(this.values, member), each);
      else if (resolved.properties?.[member]) this.#addEntitiesOf(resolved.properties[member], each);
    }
  }

  #addEntity(name: string, entity: Entity): void {
    const entities = listAt(this.entities, name);
    const index = entities.findIndex(({ id }) => id === entity["id"]);
    if (index >= 0) entities.splice(index, 1);
    pushBounded(entities, entity);
  }

  /** Removes a deleted entity. */
  remove(id: string): void {
    for (const entities of this.entities.values()) {
      const index = entities.findIndex((each) => each["id"] === id);
      if (index >= 0) entities.splice(index, 1);
    }
  }

  /** Returns the entities that a reference may point to, consistent with its siblings, such as the units of the chosen property. */
  candidates(component: string | undefined, member: string, siblings: Entity): Entity[] {
    const known = component ? (this.entities.get(component) ?? []) : (this.values.get(member) ?? []).map((id): Entity => ({ id }));
    const consistent = known.filter((entity) =>
      Object.entries(siblings).every(([name, id]) => typeof id !== "string" || !name.endsWith("Id") || !(name in entity) || entity[name] === id),
    );
    return consistent.length > 0 ? consistent : known;
  }
}

const isEntity = (value: unknown): value is Entity => typeof value === "object" && value !== null && !Array.isArray(value);
const listAt = <T>(map: Map<string, T[]>, name: string): T[] => map.get(name) ?? map.set(name, []).get(name)!;
function pushBounded<T>(list: T[], item: T): void {
  list.push(item);
  if (list.length > MAX_PER_LIST) list.shift();
}

/** Returns the component that a member refers to: `leaseId` to Lease, `actorUserId` to User, `entityId` to the sibling `entityType`. */
export function componentOfMember({ schemas }: ApiDocument, member: string, siblings: Entity = {}): string | undefined {
  const stem = member.replace(/Ids?$/, "");
  const siblingType = siblings[`${stem}Type`];
  const pascal = (text: string) => text.replace(/(^|_)([a-z])/g, (_all, _start, letter: string) => letter.toUpperCase());
  const words = pascal(stem).match(/[A-Z][a-z\d]*/g) ?? [];
  const names = [typeof siblingType === "string" ? pascal(siblingType) : "", ...words.map((_, index) => words.slice(index).join(""))];
  return names.find((name) => name in schemas);
}

/** Returns the component at a path that ends in a parameter: the one returned at that path, created at its parent path or returned below it. */
export function componentAtPath(document: ApiDocument, path: string): string | undefined {
  const normalized = normalizePath(path);
  const candidates = [normalized, normalized.replace(/\/\{\}$/, "")];
  const exact = candidates.flatMap((candidate) => document.operations.filter((operation) => normalizePath(operation.path) === candidate));
  const nested = document.operations.filter((operation) => normalizePath(operation.path).startsWith(`${normalized}/`));
  return [...exact, ...nested].map((operation) => mainComponent(document, operation)).find((name) => name !== undefined);
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
