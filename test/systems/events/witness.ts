/** Witness: a consumer process that records the ids of the events it applies. Its replicas share the events, and any may be killed. */
import { events, type EventType } from "@freehold/contract/events";
import { readProcessKeys } from "@freehold/kit/auth/keys";
import { natsSettings, readConfig } from "@freehold/kit/config";
import { busOptions } from "@freehold/kit/events/connection";
import { startConsumer } from "@freehold/kit/events/consumer";
import type { Subscriptions } from "@freehold/kit/events/subscriptions";
import { openDatabase } from "@freehold/kit/db/database";
import { createLogger } from "@freehold/kit/observability/log";
import { connectBus } from "@freehold/kit/events/nats";
import { sql } from "@freehold/kit/db/statement";
import { runProcess } from "@freehold/kit/runtime/process";
import { z } from "zod";
import { witnessDatabase } from "./witness-database.ts";

const types = Object.keys(events) as EventType[];
const recordEffect: NonNullable<Subscriptions["unit.updated"]> = (_db, { id, entityId }, once) =>
  once(async (tx) => {
    await tx.all(sql`insert into effect (event_id, entity_id) values (${id}, ${entityId})`);
  });

await runProcess("witness", async () => {
  const database = await openDatabase(witnessDatabase, process.env["WITNESS_DATABASE_URL"]!, 6);
  const bus = await connectBus(busOptions(readConfig(z.object(natsSettings))));
  const subscriptions = Object.fromEntries(types.map((type) => [type, recordEffect])) as Subscriptions;
  const publicKeys = JSON.parse(process.env["ASSERTION_PUBLIC_KEYS"]!) as Record<string, string>;
  const keys = readProcessKeys("communications", process.env["ASSERTION_KEY"]!, publicKeys);
  const consumer = startConsumer({ name: "witness", database, bus, keys, subscriptions, log: createLogger("witness", "info") });
  return {
    stop: async () => {
      await consumer.stop();
      await bus.connection.close();
      await database.close();
    },
  };
});
