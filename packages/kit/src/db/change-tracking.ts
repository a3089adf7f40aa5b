/** Change tracking: the values of locked rows before and after a transaction, for the audit log. */
import type { Changes, Envelope } from "@freehold/contract/events";
import type { EntityClass } from "@mikro-orm/core";
import type { EntityManager } from "@mikro-orm/postgresql";
import { isDeepStrictEqual } from "node:util";

/** Returns the members in which two views of a resource differ, before and after; undefined when they are equal. */
export function difference<V extends object>(before: V, after: V): { before: Partial<V>; after: Partial<V> } | undefined {
  const names = (Object.keys(after) as (keyof V)[]).filter((name) => !isDeepStrictEqual(before[name], after[name]));
  const pick = (view: V) => Object.fromEntries(names.map((name) => [name, view[name]])) as Partial<V>;
  return names.length > 0 ? { before: pick(before), after: pick(after) } : undefined;
}

/** Columns, by table, whose values no log or export may contain. */
export type RedactedColumns = Record<string, "all" | readonly string[]>;

export interface ChangeTracker {
  /** Remembers the current values of rows that were just locked. */
  track(entity: EntityClass<object>, rows: readonly { id: string }[]): void;
  /** Records the change of a member that is stored in other rows. */
  recordChange(id: string, member: string, before: unknown, after: unknown): void;
  /** Returns the changes of a tracked row since its lock, if any. */
  changesOf(id: string): Changes | undefined;
}

type State = Record<string, unknown>;

const untrackedProperties = new Set(["id", "organizationId", "version", "createdAt", "updatedAt"]);
const REDACTED = "[hidden]";
/** Longer values are replaced by their length, so that an event stays below the size limit of NATS. */
const MAX_CHARACTERS = 10_000;

interface TrackedRow {
  before: State;
  current(): State;
  redacted: ReadonlySet<string>;
  /** New values of members that are stored in other rows. */
  related: State;
}

const toJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null));

/** Tracks the rows of one transaction. A redacted column appears as changed, without its values. */
export function createChangeTracker(em: EntityManager, redactedColumns: RedactedColumns): ChangeTracker {
  const rowsById = new Map<string, TrackedRow>();
  return {
    track(entity, rows) {
      const { props, tableName } = em.getMetadata().get(entity);
      const tracked = props.filter(({ name, generated }) => !generated && !untrackedProperties.has(name));
      const columns = redactedColumns[tableName] ?? [];
      const redacted = new Set(tracked.flatMap(({ name, fieldNames }) => (columns === "all" || columns.includes(fieldNames[0]!) ? [name] : [])));
      for (const row of rows) {
        const current = () => Object.fromEntries(tracked.map(({ name }) => [name, toJson((row as State)[name])]));
        if (!rowsById.has(row.id)) rowsById.set(row.id, { before: current(), current, redacted, related: {} });
      }
    },
    recordChange(id, member, before, after) {
      const row = rowsById.get(id);
      if (!row) return;
      row.before[member] ??= toJson(before);
      row.related[member] = toJson(after);
    },
    changesOf(id) {
      const row = rowsById.get(id);
      const changes = row && difference(row.before, { ...row.current(), ...row.related });
      return changes && { before: redact(changes.before, row.redacted), after: redact(changes.after, row.redacted) };
    },
  };
}

/** Replaces redacted values by a placeholder, and removes the suffix from the name of an encrypted (`Sealed`) or hashed (`Hash`) column. */
const redact = (state: State, redacted: ReadonlySet<string>): State =>
  Object.fromEntries(
    Object.entries(state).map(([name, value]) =>
      redacted.has(name) ? [name.replace(/(Sealed|Hash)$/, ""), value === null ? null : REDACTED] : [name, truncate(value)],
    ),
  );

function truncate(value: unknown): unknown {
  const characters = JSON.stringify(value).length;
  return characters > MAX_CHARACTERS ? `[${characters} characters]` : value;
}

/** Adds the changes of an entity's row to the first event of that entity. */
export function attachChanges(envelopes: readonly Envelope[], tracker: ChangeTracker | undefined): Envelope[] {
  const seen = new Set<string>();
  return envelopes.map((envelope) => {
    const changes = seen.has(envelope.entityId) ? undefined : tracker?.changesOf(envelope.entityId);
    seen.add(envelope.entityId);
    return changes ? { ...envelope, changes } : envelope;
  });
}
