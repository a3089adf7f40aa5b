/**
 * What an organization has answered so far, by the document's component names, so that later requests speak of things that
 * are there. A made request holds references, which become ids when it is sent.
 */
import { randomUUID } from "node:crypto";
import { componentOf, followed, jsonAnswer, placeOf, type ApiDocument, type Operation, type Schema } from "./document/document.ts";

/** Stands where an id goes: `member` is the name it goes under, `pick` chooses among those that fit. */
export class Reference {
  readonly member: string;
  readonly pick: number;
  constructor(member: string, pick: number) {
    this.member = member;
    this.pick = pick;
  }
}

export type Thing = Record<string, unknown>;

const UUIDS = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g;
export const idsIn = (text: string): Set<string> => new Set(text.match(UUIDS));

/** Which organization an id was first answered to. */
export type Ownership = Map<string, Pool>;

/** The newest are what most requests should be about. */
const KEPT = 150;

export class Pool {
  readonly document: ApiDocument;
  readonly ownership: Ownership;
  readonly things = new Map<string, Thing[]>();
  /** Texts by the name of the member they stood in. */
  readonly values = new Map<string, string[]>();
  /** Bodies that were accepted: what was set there can be said again elsewhere, as a password is. */
  readonly accepted: Thing[] = [];

  constructor(document: ApiDocument, ownership: Ownership) {
    this.document = document;
    this.ownership = ownership;
  }

  /** Takes in a good answer. */
  learn(operation: Operation, json: unknown): void {
    const schema = jsonAnswer(operation);
    if (schema) this.#walk(schema, json);
  }

  rememberBody(body: unknown): void {
    if (isThing(body)) keep(this.accepted, body);
  }

  #walk(schema: Schema, value: unknown): void {
    const name = componentOf(schema);
    const it = followed(this.document, schema);
    if (Array.isArray(value)) {
      if (it.items) for (const each of value) this.#walk(it.items, each);
      return;
    }
    if (!isThing(value)) return;
    if (typeof value["id"] === "string") {
      if (!this.ownership.has(value["id"])) this.ownership.set(value["id"], this);
      if (name && this.ownership.get(value["id"]) === this) this.#put(name, value);
    }
    for (const [member, each] of Object.entries(value)) {
      if (typeof each === "string") keep(bucket(this.values, member), each);
      else if (it.properties?.[member]) this.#walk(it.properties[member], each);
    }
  }

  #put(name: string, thing: Thing): void {
    const known = bucket(this.things, name);
    const at = known.findIndex(({ id }) => id === thing["id"]);
    if (at >= 0) known.splice(at, 1);
    keep(known, thing);
  }

  /** Forgets a thing that is gone. */
  forget(id: string): void {
    for (const known of this.things.values()) {
      const at = known.findIndex((each) => each["id"] === id);
      if (at >= 0) known.splice(at, 1);
    }
  }

  /** The things that a reference may mean, given what its neighbours already say: a unit of the chosen property, a charge of the chosen lease. */
  fitting(component: string | undefined, member: string, neighbours: Thing): Thing[] {
    const known = component ? (this.things.get(component) ?? []) : (this.values.get(member) ?? []).map((id): Thing => ({ id }));
    const agreeing = known.filter((thing) =>
      Object.entries(neighbours).every(([name, id]) => typeof id !== "string" || !name.endsWith("Id") || !(name in thing) || thing[name] === id),
    );
    return agreeing.length > 0 ? agreeing : known;
  }
}

const isThing = (value: unknown): value is Thing => typeof value === "object" && value !== null && !Array.isArray(value);
const bucket = <T>(map: Map<string, T[]>, name: string): T[] => map.get(name) ?? map.set(name, []).get(name)!;
function keep<T>(all: T[], one: T): void {
  all.push(one);
  if (all.length > KEPT) all.shift();
}

/** Which component a member's name speaks of: `leaseId` of Lease, `actorUserId` of User, `entityId` of what `entityType` beside it says. */
export function componentNamed({ schemas }: ApiDocument, member: string, beside: Thing = {}): string | undefined {
  const stem = member.replace(/Ids?$/, "");
  const told = beside[`${stem}Type`];
  const pascal = (text: string) => text.replace(/(^|_)([a-z])/g, (_all, _start, letter: string) => letter.toUpperCase());
  const words = pascal(stem).match(/[A-Z][a-z\d]*/g) ?? [];
  const names = [typeof told === "string" ? pascal(told) : "", ...words.map((_, at) => words.slice(at).join(""))];
  return names.find((name) => name in schemas);
}

/** Which component stands at a path that ends in a parameter: what is answered there, or where it is made. */
export function componentAt(document: ApiDocument, path: string): string | undefined {
  const place = placeOf(path);
  const places = [place, place.replace(/\/\{\}$/, "")];
  const found = places.flatMap((each) => document.operations.filter((operation) => placeOf(operation.path) === each));
  const within = document.operations.filter((operation) => placeOf(operation.path).startsWith(`${place}/`));
  return [...found, ...within].map((operation) => mainComponent(document, operation)).find((name) => name !== undefined);
}

/** What an operation answers first and foremost. */
export function mainComponent(document: ApiDocument, operation: Operation): string | undefined {
  const first = Object.values(jsonAnswer(operation)?.properties ?? {})[0];
  if (!first) return undefined;
  const name = componentOf(first) ?? componentOf(followed(document, first).items ?? {});
  return name && document.schemas[name]?.properties?.["id"] ? name : undefined;
}

/** An id that nobody has. */
export const unknownId = (): string => randomUUID();
