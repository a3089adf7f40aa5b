/** A consumer that stores the id of each event in the table `effect` of the witness database, once. */
import type { Database } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { startConsumer, type Consumer } from "@freehold/kit/events/consumer";
import type { EventBus } from "@freehold/kit/events/nats";
import { createLogger } from "@freehold/kit/observability/log";
import { running } from "../running.ts";
import { keysOf } from "./messages.ts";

export const startEffectsConsumer = ({ database, bus }: { database: Database; bus: EventBus }): Consumer =>
  startConsumer({
    name: "effects",
    database,
    bus,
    keys: keysOf("communications", running().dataDir),
    subscriptions: {
      "unit.deleted": (_, { id, entityId }, once) =>
        once(async (tx) => void (await tx.all(sql`insert into effect (event_id, entity_id) values (${id}, ${entityId})`))),
    },
    log: createLogger("test", "silent"),
  });
