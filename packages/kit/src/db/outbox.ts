/**
 * Transactional outbox. Events are inserted in the transaction of the change that they report and published after its
 * commit: PostgreSQL is the event log, and NATS distributes events from it and can be refilled after a loss.
 */
import { events, type Audience, type Envelope, type EventCatalogue, type EventData, type EventType } from "@freehold/contract/events";
import { importedEventData, importedEventOf } from "@freehold/contract/imports/imported-events";
import { officeRoles } from "@freehold/contract/roles";
import { traceParent } from "../observability/tracing.ts";
import { now } from "../time/clock.ts";
import { newId } from "./entity.ts";
import type { StatementRunner } from "./org-db.ts";
import type { OrgTx } from "./org-tx.ts";
import type { Pipeline } from "./pipeline.ts";
import { sql, type RawBuilder } from "./statement.ts";

type PublishedBy<S> = { [T in EventType]: EventCatalogue[T] extends { from: S } | { alsoFrom: S } ? T : never }[EventType];

export interface NewEvent<T extends EventType> {
  entityId: string;
  data: EventData<T>;
  /** Portal users who may receive the event besides the office. By default none. */
  audience?: Partial<Audience>;
  /** True for an event of the past, of which no person is notified. By default those of imports. */
  isHistory?: boolean;
}

/** Returns the envelope of an event of the organization and the user of a request. */
export function envelopeOf<T extends EventType>(
  tx: Pick<StatementRunner, "organizationId" | "principal" | "requestId" | "clientAddress">,
  type: T,
  { entityId, data, audience, isHistory = tx.principal.isImport }: NewEvent<T>,
): Envelope {
  return {
    id: newId(),
    type,
    organizationId: tx.organizationId,
    occurredAt: now().toISOString(),
    entityType: events[type].entity,
    entityId,
    actorUserId: tx.principal.userId,
    requestId: tx.requestId,
    ...(tx.clientAddress !== undefined && { clientAddress: tx.clientAddress }),
    ...(isHistory && { isHistory }),
    data,
    audience: { roles: audience?.roles ?? [...officeRoles], tenantIds: [], ownerIds: [], vendorIds: [], userIds: [], ...audience },
  };
}

/** Returns the statement that inserts events into the outbox in the given order. Events of records that an import creates are combined into one for each kind. */
export function insertIntoOutbox(tx: StatementRunner, envelopes: readonly Envelope[]): RawBuilder<unknown> {
  const published = combineImported(tx, envelopes);
  return sql`insert into outbox (event_id, organization_id, envelope, trace_parent)
    select event_id, ${tx.organizationId}, envelope, ${traceParent() ?? null}
    from unnest(${published.map(({ id }) => id)}::uuid[], ${published.map((envelope) => JSON.stringify(envelope))}::json[])
      with ordinality as event (event_id, envelope, place) order by place`;
}

/** Replaces the events of records that an import creates by one for each kind, in the place of the kind's first, to the office alone. */
function combineImported(tx: StatementRunner, envelopes: readonly Envelope[]): readonly Envelope[] {
  const { importBundleId: bundleId } = tx.principal;
  if (bundleId === undefined) return envelopes;
  const byType = Map.groupBy(envelopes, ({ type }) => importedEventOf[type]);
  return envelopes.flatMap((envelope) => {
    const type = importedEventOf[envelope.type];
    if (!type) return [envelope];
    const combined = byType.get(type)!;
    if (combined[0] !== envelope) return [];
    return [envelopeOf(tx, type, { entityId: bundleId, data: importedEventData(type, bundleId, combined) })];
  });
}

/** Returns the statement that publishes events of one type, to be sent with the other statements of a pipeline. */
export function insertEvents<T extends EventType>(tx: Pipeline, type: T, ...newEvents: readonly NewEvent<T>[]): RawBuilder<unknown> {
  tx.hasEvents = true;
  return insertIntoOutbox(
    tx,
    newEvents.map((event) => envelopeOf(tx, type, event)),
  );
}

/** Creates a service's `publish`: adds events to a transaction, which publishes them when it commits. Events of another service do not compile. */
export const eventPublisher =
  <S extends string>(_service: S) =>
  async <T extends PublishedBy<S>>(tx: OrgTx, type: T, ...newEvents: readonly NewEvent<T>[]): Promise<void> => {
    tx.events.push(...newEvents.map((event) => envelopeOf(tx, type, event)));
  };
