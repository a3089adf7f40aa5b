/** Ground truth of the event tests: the outboxes, which hold every event in commit order, and the stream in NATS. */
import type { Audience, Envelope } from "@freehold/contract/events";
import { connectBus, ensureStream, streamEpochOf, STREAM } from "@freehold/kit/events/nats";
import pg from "pg";
import { services } from "../../../deploy/system/secrets.ts";
import type { System } from "../../../deploy/system/system.ts";
import type { Listener } from "./listeners.ts";

export interface PublishedEvent {
  /** Service that published the event. */
  from: string;
  id: string;
  entityId: string;
  organizationId: string;
  type: string;
  audience: Audience;
}

async function rowsOf<R extends pg.QueryResultRow>(url: string, statement: string): Promise<R[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<R>(statement)).rows;
  } finally {
    await client.end();
  }
}
const databaseOf = ({ adminUrl }: System, name: string) => adminUrl!.replace(/\/postgres$/, `/${name}`);

/** Returns the events of all services, each service's in commit order. */
export async function publishedEvents(system: System): Promise<PublishedEvent[]> {
  const all = await Promise.all(
    services.map(async (from) => {
      const rows = await rowsOf<{ envelope: Envelope }>(databaseOf(system, from), "select envelope from outbox order by position");
      return rows.map(({ envelope: { id, entityId, organizationId, type, audience } }) => ({ from, id, entityId, organizationId, type, audience }));
    }),
  );
  return all.flat();
}

/** Returns the number of events that are unpublished or in a retry queue. */
export async function countPending(system: System): Promise<number> {
  const counts = await Promise.all(
    [...services, "witness"].map((name) =>
      rowsOf<{ count: string }>(
        databaseOf(system, name),
        "select (select count(*) from outbox where published_at is null) + (select count(*) from parked_event) as count",
      ),
    ),
  );
  return counts.flat().reduce((sum, { count }) => sum + Number(count), 0);
}

/** Returns the events that the witness applied, in order. */
export const listEffects = async (system: System): Promise<{ eventId: string; entityId: string }[]> =>
  (await rowsOf<{ event_id: string; entity_id: string }>(databaseOf(system, "witness"), "select event_id, entity_id from effect order by position")).map(
    ({ event_id: eventId, entity_id: entityId }) => ({ eventId, entityId }),
  );

/** Returns the ids of the events in a consumer's inbox. */
export const consumedIds = async (system: System, name: string): Promise<Set<string>> =>
  new Set((await rowsOf<{ event_id: string }>(databaseOf(system, name), "select event_id from inbox")).map(({ event_id: id }) => id));

/** Returns the number of units whose projection in the ledger differs from portfolio. */
export async function staleProjections(system: System): Promise<number> {
  const statement = (table: string) => `select id || ' ' || coalesce(unit_number, '') as row from ${table} order by id`;
  const [projections, originals] = await Promise.all([
    rowsOf<{ row: string }>(databaseOf(system, "ledger"), statement("unit_copy")),
    rowsOf<{ row: string }>(databaseOf(system, "portfolio"), statement("unit")),
  ]);
  const projected = new Set(projections.map(({ row }) => row));
  return originals.filter(({ row }) => !projected.has(row)).length;
}

export interface Stream {
  epoch: string;
  /** Event ids by sequence. */
  events: Map<number, string>;
}

/** Reads the stream from its first event to its current last. */
export async function readStream({ natsUrl }: System): Promise<Stream> {
  const bus = await connectBus(natsUrl, "truth");
  try {
    const info = await ensureStream(bus);
    const events = new Map<number, string>();
    if (info.state.messages > 0) {
      const consumer = await bus.js.consumers.get(STREAM);
      const messages = await consumer.consume({ max_messages: 1_000 });
      for await (const message of messages) {
        events.set(message.seq, message.json<Envelope>().id);
        if (message.seq >= info.state.last_seq) break;
      }
      messages.stop();
    }
    return { epoch: streamEpochOf(info), events };
  } finally {
    await bus.connection.close();
  }
}

/** Returns true if a listener is in the audience of an event. */
export function isAudience({ user, role, subjectId, types }: Listener, { organizationId, audience, type }: PublishedEvent): boolean {
  if (organizationId !== user.organizationId || (types && !types.includes(type))) return false;
  return audience.roles.includes(role) || audience.userIds.includes(user.userId) || (subjectId !== null && audience.tenantIds.includes(subjectId));
}
