/** Reference data of the event tests: the outboxes, which hold every event in commit order, the stream in NATS, and what consumers applied. */
import type { Audience, Envelope } from "@freehold/contract/events";
import { MAX_MESSAGE_EVENTS } from "@freehold/kit/events/message";
import { ensureStream } from "@freehold/kit/events/nats";
import pg from "pg";
import { services } from "../../../deploy/system/secrets.ts";
import type { System } from "../../../deploy/system/system.ts";
import { connectAs } from "../../support/events/bus.ts";
import type { Listener } from "./listeners.ts";

export interface PublishedEvent {
  /** Service that published the event. */
  service: string;
  id: string;
  entityId: string;
  organizationId: string;
  type: string;
  audience: Audience;
}

async function queryRows<R extends pg.QueryResultRow>(url: string, statement: string): Promise<R[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<R>(statement)).rows;
  } finally {
    await client.end();
  }
}
const databaseUrlOf = ({ adminUrl }: System, name: string) => adminUrl!.replace(/\/postgres$/, `/${name}`);

/** Returns the events of all services, each service's in commit order. */
export async function listPublishedEvents(system: System): Promise<PublishedEvent[]> {
  const events = await Promise.all(
    services.map(async (service) => {
      const rows = await queryRows<{ envelope: Envelope }>(databaseUrlOf(system, service), "select envelope from outbox order by position");
      return rows.map(({ envelope: { id, entityId, organizationId, type, audience } }) => ({ service, id, entityId, organizationId, type, audience }));
    }),
  );
  return events.flat();
}

/** Returns the number of events that are unpublished or in a retry queue. */
export async function countPending(system: System): Promise<number> {
  const counts = await Promise.all(
    [...services, "witness"].map((name) =>
      queryRows<{ count: string }>(
        databaseUrlOf(system, name),
        "select (select count(*) from unpublished_event) + (select count(*) from parked_event) as count",
      ),
    ),
  );
  return counts.flat().reduce((sum, { count }) => sum + Number(count), 0);
}

/** Returns the events that the witness applied, in order. */
export const listEffects = async (system: System): Promise<{ eventId: string; entityId: string }[]> =>
  (await queryRows<{ event_id: string; entity_id: string }>(databaseUrlOf(system, "witness"), "select event_id, entity_id from effect order by position")).map(
    ({ event_id: eventId, entity_id: entityId }) => ({ eventId, entityId }),
  );

/** Returns the ids of the events in a consumer's inbox. */
export const listConsumedIds = async (system: System, name: string): Promise<Set<string>> =>
  new Set((await queryRows<{ event_id: string }>(databaseUrlOf(system, name), "select event_id from inbox")).map(({ event_id: id }) => id));

/** Returns the number of units whose projection in the ledger is missing or has another unit number than portfolio. */
export async function countStaleProjections(system: System): Promise<number> {
  const statement = (table: string) => `select id || ' ' || coalesce(unit_number, '') as row from ${table} order by id`;
  const [projections, originals] = await Promise.all([
    queryRows<{ row: string }>(databaseUrlOf(system, "ledger"), statement("unit_copy")),
    queryRows<{ row: string }>(databaseUrlOf(system, "portfolio"), statement("unit")),
  ]);
  const projected = new Set(projections.map(({ row }) => row));
  return originals.filter(({ row }) => !projected.has(row)).length;
}

export interface Stream {
  epoch: string;
  /** Event ids by sequence. */
  events: Map<number, string>;
}

/** Reads the stream from its first event to the event that is last when reading starts. */
export async function readStream({ nats }: System): Promise<Stream> {
  const bus = await connectAs("gateway", nats);
  try {
    const { name, epoch, state } = await ensureStream(bus);
    const events = new Map<number, string>();
    if (state.messages > 0) {
      const consumer = await bus.js.consumers.get(name);
      const messages = await consumer.consume({ max_messages: 1_000 });
      for await (const message of messages) {
        for (const [place, { id }] of message.json<Envelope[]>().entries()) events.set(message.seq * MAX_MESSAGE_EVENTS + place, id);
        if (message.seq >= state.last_seq) break;
      }
      messages.stop();
    }
    return { epoch, events };
  } finally {
    await bus.connection.close();
  }
}

/** Returns true if a listener is in the audience of an event and subscribes to its type. Listeners are office users and tenants. */
export function isInAudience({ user, role, subjectId, types }: Listener, { organizationId, audience, type }: PublishedEvent): boolean {
  if (organizationId !== user.organizationId || (types && !types.includes(type))) return false;
  return audience.roles.includes(role) || audience.userIds.includes(user.userId) || (subjectId !== null && audience.tenantIds.includes(subjectId));
}
