/**
 * Events are rows first: written in the transaction that made them true, published after it committed. PostgreSQL is
 * the log; NATS is a fan-out that may be lost and is filled again.
 */
import { events, type Audience, type Envelope, type EventCatalogue, type EventData, type EventType } from "@freehold/contract/events";
import { now } from "./clock.ts";
import type { OrgTx, Pipeline, Runner } from "./db.ts";
import { newId } from "./entity.ts";
import { sql, type RawBuilder } from "./statement.ts";
import { traceParent } from "./tracing.ts";

const office = ["admin", "manager", "staff"] as const;

type From<S> = { [T in EventType]: EventCatalogue[T] extends { from: S } | { alsoFrom: S } ? T : never }[EventType];

export interface Announcement<T extends EventType> {
  entityId: string;
  data: EventData<T>;
  /** Portal subjects who may see it too; without, only the office does. */
  audience?: Partial<Audience>;
}

function envelopeOf<T extends EventType>(tx: OrgTx | Pipeline, type: T, { entityId, data, audience }: Announcement<T>): Envelope {
  return {
    id: newId(),
    type,
    organizationId: tx.organizationId,
    occurredAt: now().toISOString(),
    entityType: events[type].entity,
    entityId,
    actorUserId: tx.scope.userId,
    requestId: tx.requestId,
    data,
    audience: { roles: audience?.roles ?? [...office], tenantIds: [], ownerIds: [], vendorIds: [], userIds: [], ...audience },
  };
}

/** The statement that puts events into the outbox, in their order. */
export const eventsInsert = (
  tx: Runner,
  envelopes: readonly Envelope[],
): RawBuilder<unknown> => sql`insert into outbox (event_id, organization_id, envelope, trace_parent)
    select event_id, ${tx.organizationId}, envelope, ${traceParent() ?? null}
    from unnest(${envelopes.map(({ id }) => id)}::uuid[], ${envelopes.map((envelope) => JSON.stringify(envelope))}::json[]) with ordinality as given (event_id, envelope, place) order by place`;

/** The statement that announces events of one type, for a pipeline to send with the rest. */
export function announcement<T extends EventType>(tx: Pipeline, type: T, ...happened: readonly Announcement<T>[]): RawBuilder<unknown> {
  tx.announced = true;
  return eventsInsert(
    tx,
    happened.map((one) => envelopeOf(tx, type, one)),
  );
}

/** Announces what is true once the transaction commits. Another service's event does not compile. */
export const announcer =
  <S extends string>(_service: S) =>
  async <T extends From<S>>(tx: OrgTx, type: T, ...happened: readonly Announcement<T>[]): Promise<void> => {
    tx.envelopes.push(...happened.map((one) => envelopeOf(tx, type, one)));
  };
