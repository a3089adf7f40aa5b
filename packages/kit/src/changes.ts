/** What became of the rows that a transaction locked, member by member: for whom it is not enough that something changed. */
import type { Changes, Envelope } from "@freehold/contract/events";
import type { EntityClass } from "@mikro-orm/core";
import type { EntityManager } from "@mikro-orm/postgresql";
import { isDeepStrictEqual } from "node:util";

/** The members in which two views of one thing differ, as they were and as they are; nothing when they are alike. */
export function difference<V extends object>(before: V, after: V): { before: Partial<V>; after: Partial<V> } | undefined {
  const names = (Object.keys(after) as (keyof V)[]).filter((name) => !isDeepStrictEqual(before[name], after[name]));
  const only = (view: V) => Object.fromEntries(names.map((name) => [name, view[name]])) as Partial<V>;
  return names.length > 0 ? { before: only(before), after: only(after) } : undefined;
}

/** Tables with the columns of them that nobody is shown. */
export type Secrets = Record<string, "all" | readonly string[]>;

export interface LockedRows {
  /** Keeps how rows are that have just been locked. */
  remember(entity: EntityClass<object>, rows: readonly { id: string }[]): void;
  /** Keeps what becomes of a member of a row that is made of other rows. */
  tell(id: string, member: string, before: unknown, after: unknown): void;
  /** What became of a row since it was locked, if it was and anything did. */
  changesOf(id: string): Changes | undefined;
}

type State = Record<string, unknown>;

const bookkeeping = new Set(["id", "organizationId", "version", "createdAt", "updatedAt"]);
const HIDDEN = "[hidden]";
/** What is longer is told of as long, so that an event stays one that the bus takes. */
const CHARACTERS_AT_MOST = 10_000;

interface Locked {
  before: State;
  now(): State;
  secret: ReadonlySet<string>;
  /** Members made of other rows, as they will be. */
  besides: State;
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null));

/** Watches the rows of one transaction. Of what is secret it is told that it changed, and not what it was. */
export function lockedRows(em: EntityManager, secrets: Secrets): LockedRows {
  const locked = new Map<string, Locked>();
  return {
    remember(entity, rows) {
      const { props, tableName } = em.getMetadata().get(entity);
      const told = props.filter(({ name, generated }) => !generated && !bookkeeping.has(name));
      const hidden = secrets[tableName] ?? [];
      const secret = new Set(told.flatMap(({ name, fieldNames }) => (hidden === "all" || hidden.includes(fieldNames[0]!) ? [name] : [])));
      for (const row of rows) {
        const now = () => Object.fromEntries(told.map(({ name }) => [name, plain((row as State)[name])]));
        if (!locked.has(row.id)) locked.set(row.id, { before: now(), now, secret, besides: {} });
      }
    },
    tell(id, member, before, after) {
      const known = locked.get(id);
      if (!known) return;
      known.before[member] ??= plain(before);
      known.besides[member] = plain(after);
    },
    changesOf(id) {
      const known = locked.get(id);
      const changes = known && difference(known.before, { ...known.now(), ...known.besides });
      return changes && { before: shown(changes.before, known.secret), after: shown(changes.after, known.secret) };
    },
  };
}

/** As the log may show it: a sealed or hashed column stands for the member that it is of. */
const shown = (state: State, secret: ReadonlySet<string>): State =>
  Object.fromEntries(
    Object.entries(state).map(([name, value]) =>
      secret.has(name) ? [name.replace(/(Sealed|Hash)$/, ""), value === null ? null : HIDDEN] : [name, short(value)],
    ),
  );

function short(value: unknown): unknown {
  const characters = JSON.stringify(value).length;
  return characters > CHARACTERS_AT_MOST ? `[${characters} characters]` : value;
}

/** The events of a transaction, the first one about each row with what became of it. */
export function tellingChanges(envelopes: readonly Envelope[], rows: LockedRows | undefined): Envelope[] {
  const told = new Set<string>();
  return envelopes.map((envelope) => {
    const changes = told.has(envelope.entityId) ? undefined : rows?.changesOf(envelope.entityId);
    told.add(envelope.entityId);
    return changes ? { ...envelope, changes } : envelope;
  });
}
