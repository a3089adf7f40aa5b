/** A service's connection to the event stream: its relay and its consumer, started once NATS responds. */
import type { Service } from "@freehold/contract/operation";
import { eventSubscribers } from "@freehold/contract/event-subscribers";
import type { ProcessKeys } from "../auth/keys.ts";
import { ConfigurationError } from "../config.ts";
import type { Database } from "../db/org-db.ts";
import type { Logger } from "../observability/log.ts";
import type { BusOptions } from "./connection.ts";
import { startConsumer, type Consumer } from "./consumer.ts";
import { connectBus, requireJetStream, type EventBus } from "./nats.ts";
import { startRelay, type Relay } from "./relay.ts";
import type { Subscriptions } from "./subscriptions.ts";

export interface Events {
  /** Number of messages that this process still has to consume. */
  readonly lag: number;
  /** Seconds for which a partition of this process has not advanced although messages wait, or since messages were missed; 0 otherwise. */
  readonly stalledSeconds: number;
  isBusUp(): Promise<boolean>;
  stop(): Promise<void>;
}

export interface EventsOptions {
  /** Keys of the process, whose name is that of the service. */
  keys: ProcessKeys;
  nats: BusOptions;
  database: Database;
  subscriptions: Subscriptions | undefined;
  log: Logger;
  /** Called when NATS responds but cannot serve: a retry would not help. */
  onUnusable: (error: ConfigurationError) => void;
}

/** Starts publishing and consuming in the background. Requests do not wait for NATS; its outage only delays events. */
export function startEvents({ keys, nats, database, subscriptions, log, onUnusable }: EventsOptions): Events {
  const { name } = keys;
  requireSubscribedTypes(name, subscriptions ?? {});
  let started: { bus: EventBus; relay: Relay; consumer: Consumer | undefined } | undefined;
  let isStopping = false;
  const starting = connectBus(nats).then(async (bus) => {
    await requireJetStream(bus);
    if (isStopping) return bus.connection.close();
    const relay = startRelay({ pool: database.pool, bus, keys, log });
    database.wakeRelay = () => relay.wake();
    started = { bus, relay, consumer: subscriptions && startConsumer({ name, database, bus, keys, subscriptions, log }) };
  });
  starting.catch((error: unknown) => (error instanceof ConfigurationError ? onUnusable(error) : log.error({ err: error }, "NATS cannot be used")));

  return {
    get lag() {
      return started?.consumer?.lag ?? 0;
    },
    get stalledSeconds() {
      return started?.consumer?.stalledSeconds ?? 0;
    },
    isBusUp: async () =>
      started !== undefined &&
      !started.bus.connection.isClosed() &&
      started.bus.connection.rtt().then(
        () => true,
        () => false,
      ),
    async stop() {
      isStopping = true;
      await started?.consumer?.stop();
      await started?.relay.stop();
      await started?.bus.connection.close();
    },
  };
}

/** Throws unless a service handles exactly the events that the contract sends to it. */
function requireSubscribedTypes(name: string, subscriptions: Subscriptions): void {
  const [handled, sent] = [new Set<string>(Object.keys(subscriptions)), new Set<string>(eventSubscribers[name as Service])];
  const differing = [...handled.symmetricDifference(sent)];
  if (differing.length > 0)
    throw new Error(`The subscriptions of ${name} differ from eventSubscribers in packages/contract/src/event-subscribers.ts: ${differing.join(", ")}.`);
}
