/** A service's connection to the event stream: its relay and its consumer, started once NATS responds. */
import { ConfigurationError } from "../config.ts";
import type { Database } from "../db/org-db.ts";
import type { Logger } from "../observability/log.ts";
import { startConsumer, type Consumer } from "./consumer.ts";
import { connectBus, requireJetStream, type EventBus } from "./nats.ts";
import { startRelay, type Relay } from "./relay.ts";
import type { Subscriptions } from "./subscriptions.ts";

export interface Events {
  /** Returns the number of unpublished events of this service; -1 before NATS has responded. */
  backlog(): Promise<number>;
  /** Number of events that this process still has to consume. */
  readonly lag: number;
  isBusUp(): Promise<boolean>;
  stop(): Promise<void>;
}

export interface EventsOptions {
  /** Name of the service. */
  name: string;
  /** NATS servers, separated by commas. */
  url: string;
  /** Number of NATS servers that store each event. */
  replicas: number;
  database: Database;
  subscriptions: Subscriptions | undefined;
  log: Logger;
  /** Called when NATS responds but cannot serve: a retry would not help. */
  onUnusable: (error: ConfigurationError) => void;
}

/** Starts publishing and consuming in the background. Requests do not wait for NATS; its outage only delays events. */
export function startEvents({ name, url, replicas, database, subscriptions, log, onUnusable }: EventsOptions): Events {
  let started: { bus: EventBus; relay: Relay; consumer: Consumer | undefined } | undefined;
  let isStopping = false;
  const starting = connectBus(url, `freehold-${name}`, replicas).then(async (bus) => {
    await requireJetStream(bus);
    if (isStopping) return bus.connection.close();
    const relay = startRelay(database.pool, bus, log);
    database.wakeRelay = () => relay.wake();
    started = { bus, relay, consumer: subscriptions && startConsumer(name, database, bus, subscriptions, log) };
  });
  starting.catch((error: unknown) => (error instanceof ConfigurationError ? onUnusable(error) : log.error({ err: error }, "NATS cannot be used")));

  return {
    backlog: async () => (started ? started.relay.backlog() : -1),
    get lag() {
      return started?.consumer?.lag ?? 0;
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
