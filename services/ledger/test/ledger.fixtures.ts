/** Helpers of the ledger's tests: published events, direct database access and daily jobs. */
import type { Envelope, EventType } from "@freehold/contract/events";
import { today } from "@freehold/kit/time/clock";
import { ensureStream, partitionOf, subjectFilter } from "@freehold/kit/events/nats";
import pg from "pg";
import { connectAs } from "../../../test/support/events/bus.ts";
import { createEventPublisher } from "../../../test/support/events/messages.ts";
import type { Office } from "../../../test/support/office.ts";
import { running } from "../../../test/support/running.ts";
import { eventually } from "../../../test/support/eventually.ts";

/** Returns today's date in the time zone of the organizations of `anOffice`. */
export const todayInOffice = (): string => today("America/New_York");

/** Records the events of an organization that are published from now on. */
export async function recordEvents({ organizationId }: Office) {
  const bus = await connectAs("gateway", running().nats);
  const publisher = createEventPublisher(running());
  const recorded: Envelope[] = [];
  bus.connection.subscribe(subjectFilter({ organizationId }), { callback: (_error, message) => void recorded.push(...message.json<Envelope[]>()) });
  await bus.connection.flush();
  const eventsOf = (type: EventType, entityId: string) => recorded.filter((event) => event.type === type && event.entityId === entityId);
  return {
    eventsOf,
    /** Waits for the first event of a type about an entity. */
    waitForEvent: (type: EventType, entityId: string): Promise<Envelope> => eventually(`${type} of ${entityId}`, () => eventsOf(type, entityId)[0]),
    /** Publishes an event a second time, as when the stream is refilled from the outbox. */
    redeliver: (event: Envelope): Promise<void> => publisher.publish(event),
    /** Waits until the ledger has consumed all published events of the organization. */
    waitUntilConsumed: (): Promise<boolean> =>
      eventually("end of the consumption", async () => {
        const { name } = await ensureStream(bus);
        const partition = partitionOf(organizationId);
        const last = await bus.manager.streams.getMessage(name, { last_by_subj: subjectFilter({ partition, subscriber: "ledger" }) });
        return (await findConsumedSequence(partition)) >= (last?.seq ?? 0);
      }),
    close: async () => {
      await Promise.all([bus.connection.close(), publisher.close()]);
    },
  };
}
export type EventRecorder = Awaited<ReturnType<typeof recordEvents>>;

/** Returns the sequence of the stream up to which the ledger has consumed a partition. */
async function findConsumedSequence(partition: number): Promise<number> {
  const client = new pg.Client({ connectionString: running().databaseUrls.ledger.service });
  await client.connect();
  try {
    const { rows } = await client.query<{ sequence: string }>("select sequence from consumer_share where consumer = 'ledger' and partition = $1", [partition]);
    return Number(rows[0]!.sequence);
  } finally {
    await client.end();
  }
}

/** Runs the work on a connection of the owner of the ledger's tables, who is also subject to row-level security. */
export async function withOwnerConnection<T>({ organizationId }: Office, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: running().databaseUrls.ledger.owner });
  await client.connect();
  try {
    await client.query("select set_config('app.organization_id', $1, false)", [organizationId]);
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Returns the keys of the diagnostics whose findings were published as raised. */
export const raisedKeys = (office: Office): Promise<string[]> =>
  withOwnerConnection(office, async (owner) => {
    const { rows } = await owner.query<{ key: string }>(
      "select envelope -> 'data' ->> 'key' as key from outbox where organization_id = $1 and envelope ->> 'type' = 'trust.diagnostic_raised'",
      [office.organizationId],
    );
    return rows.map(({ key }) => key);
  });

/** Waits for the daily jobs that run at sign-up. After them, nothing is posted automatically until midnight. */
export const waitForDailyJobs = (office: Office): Promise<boolean> =>
  withOwnerConnection(office, (client) =>
    eventually("daily jobs", async () => {
      const { rows } = await client.query<{ done: boolean }>(
        `select next_run_at > now() + interval '61 seconds' and not exists (select 1 from work_request r where r.organization_id = w.organization_id and r.job = w.job) as done
          from scheduled_work w where organization_id = $1 and job = 'postDueCharges'`,
        [office.organizationId],
      );
      return rows[0]?.done ?? false;
    }),
  );
