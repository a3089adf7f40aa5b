/** A service's part in the events: it publishes its own and consumes others', from the moment that NATS answers. */
import { ConfigurationError } from "./config.ts";
import { startConsumer, type Consumer, type Subscriptions } from "./consumer.ts";
import type { Database } from "./db.ts";
import type { Logger } from "./log.ts";
import { connectBus, requireJetStream, type Bus } from "./nats.ts";
import { startRelay, type Relay } from "./relay.ts";

export interface Events {
  /** Events of this service that wait to be published; -1 as long as nobody could count them. */
  backlog(): Promise<number>;
  /** Events of other services that this replica has still to consume. */
  readonly lag: number;
  isBusUp(): Promise<boolean>;
  stop(): Promise<void>;
}

export interface EventsOptions {
  name: string;
  url: string;
  replicas: number;
  database: Database;
  subscriptions: Subscriptions | undefined;
  log: Logger;
  /** NATS is there and cannot do what is needed: waiting would not help. */
  onUnusable: (error: ConfigurationError) => void;
}

/** Requests do not wait for it: a server that is away delays events and nothing else. */
export function startEvents({ name, url, replicas, database, subscriptions, log, onUnusable }: EventsOptions): Events {
  let started: { bus: Bus; relay: Relay; consumer: Consumer | undefined } | undefined;
  let isStopping = false;
  const starting = connectBus(url, `freehold-${name}`, replicas).then(async (bus) => {
    await requireJetStream(bus);
    if (isStopping) return bus.connection.close();
    const relay = startRelay(database.pool, bus, log);
    database.nudge = () => relay.nudge();
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
