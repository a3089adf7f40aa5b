/** What is true: the outboxes, where every event stands in the order of its commit, and the stream as NATS has it. */
import type { Audience, Envelope } from "@freehold/contract/events";
import { connectBus, ensureStream, streamEpochOf, STREAM } from "@freehold/kit/events/nats";
import pg from "pg";
import { services } from "../../../deploy/system/secrets.ts";
import type { System } from "../../../deploy/system/system.ts";
import type { Listener } from "./listeners.ts";

export interface PublishedEvent {
  /** The service that announced it. */
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

/** Every event of every service, each service's in the order of its commits. */
export async function publishedEvents(system: System): Promise<PublishedEvent[]> {
  const all = await Promise.all(
    services.map(async (from) => {
      const rows = await rowsOf<{ envelope: Envelope }>(databaseOf(system, from), "select envelope from outbox order by position");
      return rows.map(({ envelope: { id, entityId, organizationId, type, audience } }) => ({ from, id, entityId, organizationId, type, audience }));
    }),
  );
  return all.flat();
}

/** Events that no service has published yet, and events that any consumer has parked. */
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

/** The ids of the events that took effect at the witness, in the order in which they did. */
export const listEffects = async (system: System): Promise<{ eventId: string; entityId: string }[]> =>
  (await rowsOf<{ event_id: string; entity_id: string }>(databaseOf(system, "witness"), "select event_id, entity_id from effect order by position")).map(
    ({ event_id: eventId, entity_id: entityId }) => ({ eventId, entityId }),
  );

/** How often a consumer has marked each event in its inbox. */
export const consumedIds = async (system: System, name: string): Promise<Set<string>> =>
  new Set((await rowsOf<{ event_id: string }>(databaseOf(system, name), "select event_id from inbox")).map(({ event_id: id }) => id));

/** The ledger's copies of units that say otherwise than portfolio. */
export async function staleProjections(system: System): Promise<number> {
  const statement = (table: string) => `select id || ' ' || coalesce(unit_number, '') as row from ${table} order by id`;
  const [copies, originals] = await Promise.all([
    rowsOf<{ row: string }>(databaseOf(system, "ledger"), statement("unit_copy")),
    rowsOf<{ row: string }>(databaseOf(system, "portfolio"), statement("unit")),
  ]);
  const copied = new Set(copies.map(({ row }) => row));
  return originals.filter(({ row }) => !copied.has(row)).length;
}

export interface Stream {
  epoch: string;
  /** Each event by its sequence. */
  events: Map<number, string>;
}

/** The stream as it is now, from its first event to its last. */
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

/** Whether somebody who listens should be told of an event. */
export function isAudience({ user, role, subjectId, types }: Listener, { organizationId, audience, type }: PublishedEvent): boolean {
  if (organizationId !== user.organizationId || (types && !types.includes(type))) return false;
  return audience.roles.includes(role) || audience.userIds.includes(user.userId) || (subjectId !== null && audience.tenantIds.includes(subjectId));
}
