/** What tests of the ledger wait for and look at besides the API. */
import type { Envelope, EventType } from "@freehold/contract/events";
import { now, today } from "@freehold/kit/time/clock";
import { newId } from "@freehold/kit/db/entity";
import { connectBus, STREAM, subjectOf, subjectFilter } from "@freehold/kit/events/nats";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Office } from "../../../test/office.ts";
import { running } from "../../../test/running.ts";

/** The day it is for the organizations of `anOffice`. */
export const theDay = (): string => today("America/New_York");

/** Waits until something is there, and answers it. */
export async function soon<T>(what: string, look: () => Promise<T | undefined | false> | T | undefined | false): Promise<T> {
  const deadline = now().getTime() + 30_000;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (now().getTime() > deadline) throw new Error(`Waited in vain for ${what}.`);
    await sleep(25);
  }
}

/** Hears what an organization's services announce from now on. */
export async function listening({ organizationId }: Office) {
  const bus = await connectBus(running().natsUrl, "ledger-tests");
  const heard: Envelope[] = [];
  bus.connection.subscribe(subjectFilter({ organizationId }), { callback: (_error, message) => void heard.push(message.json<Envelope>()) });
  await bus.connection.flush();
  const of = (type: EventType, entityId: string) => heard.filter((event) => event.type === type && event.entityId === entityId);
  return {
    of,
    /** The first event of a kind about a thing, once it comes. */
    hears: (type: EventType, entityId: string): Promise<Envelope> => soon(`${type} of ${entityId}`, () => of(type, entityId)[0]),
    /** Delivers an event once more, as after a stream that was filled again. */
    repeat: async (event: Envelope): Promise<void> => {
      await bus.js.publish(subjectOf(event), JSON.stringify(event), { msgID: newId() });
    },
    /** Waits until the ledger has consumed all that was announced. */
    consumed: (): Promise<boolean> =>
      soon("the ledger to catch up", async () => {
        const { state } = await bus.manager.streams.info(STREAM, { subjects_filter: subjectFilter({ organizationId }) });
        const parts = new Set(Object.keys(state.subjects ?? {}).map((subject) => Number(subject.split(".")[2])));
        const lastOf = (partition: number) => bus.manager.streams.getMessage(STREAM, { last_by_subj: `events.${organizationId}.${partition}.>` });
        const wanted = await Promise.all([...parts].map(async (partition) => [partition, (await lastOf(partition))!.seq] as const));
        const read = await progress();
        return wanted.every(([partition, sequence]) => (read.get(partition) ?? 0) >= sequence);
      }),
    close: () => bus.connection.close(),
  };
}

/** How far the ledger has come in each partition of the events. */
async function progress(): Promise<Map<number, number>> {
  const client = new pg.Client({ connectionString: running().databaseUrls.ledger.service });
  await client.connect();
  try {
    const { rows } = await client.query<{ partition: number; sequence: string }>("select partition, sequence from consumer_share where consumer = 'ledger'");
    return new Map(rows.map(({ partition, sequence }) => [partition, Number(sequence)]));
  } finally {
    await client.end();
  }
}

/** Runs work as the owner of the ledger's database, who is bound to the organization like everybody. */
export async function asOwner<T>({ organizationId }: Office, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: running().databaseUrls.ledger.owner });
  await client.connect();
  try {
    await client.query("select set_config('app.organization_id', $1, false)", [organizationId]);
    return await work(client);
  } finally {
    await client.end();
  }
}

/** An organization's daily work runs once when it signs up; after that nothing posts by itself before midnight. */
export const theDayHasBegun = (office: Office): Promise<boolean> =>
  asOwner(office, (client) =>
    soon("the day's work", async () => {
      const { rows } = await client.query<{ done: boolean }>(
        `select next_run_at > now() + interval '61 seconds' and not exists (select 1 from work_request r where r.organization_id = w.organization_id and r.job = w.job) as done
          from scheduled_work w where organization_id = $1 and job = 'postDueCharges'`,
        [office.organizationId],
      );
      return rows[0]?.done ?? false;
    }),
  );
