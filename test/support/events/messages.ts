/** Messages of the event stream, published in a test with the keys of a service of the system under test. */
import { events, type Envelope, type EventType } from "@freehold/contract/events";
import { readProcessKeys, type ProcessKeys } from "@freehold/kit/auth/keys";
import { newId } from "@freehold/kit/db/entity";
import { messageHeaders } from "@freehold/kit/events/message";
import { subjectOf, type EventBus } from "@freehold/kit/events/nats";
import type { NatsAccess } from "../../../deploy/system/layout.ts";
import { processes, readSecrets, type ProcessName } from "../../../deploy/system/secrets.ts";
import { connectAs } from "./bus.ts";

/** Reads the keys of a process from the data directory of its system. */
export function keysOf(name: ProcessName, dataDir: string): ProcessKeys {
  const { assertionKeys } = readSecrets(dataDir);
  return readProcessKeys(name, assertionKeys[name].privateKey, Object.fromEntries(processes.map((each) => [each, assertionKeys[each].publicKey])));
}

/** Event with members of any type besides these two, for tests of events that cannot be consumed. */
type PublishableEvent = Pick<Envelope, "organizationId" | "type"> & Record<string, unknown>;

/** Returns a signed message with one event. */
export function messageOf(event: PublishableEvent, dataDir: string) {
  const publisher = events[event.type as EventType].from;
  const subject = subjectOf({ publisher, organizationId: event.organizationId, type: event.type });
  const payload = JSON.stringify([event]);
  return { subject, payload, headers: messageHeaders(keysOf(publisher, dataDir), subject, payload, null) };
}

export interface EventPublisher {
  /** Publishes an event. A repeated call is a redelivery, as when the stream is filled again from the outbox. */
  publish(event: PublishableEvent): Promise<void>;
  close(): Promise<void>;
}

/** Returns a publisher of events that has the keys and the NATS credentials of their services. */
export function createEventPublisher({ nats, dataDir }: { nats: NatsAccess; dataDir: string }): EventPublisher {
  const buses = new Map<ProcessName, Promise<EventBus>>();
  return {
    async publish(event) {
      const publisher = events[event.type as EventType].from;
      if (!buses.has(publisher)) buses.set(publisher, connectAs(publisher, nats));
      const { subject, payload, headers } = messageOf(event, dataDir);
      await (await buses.get(publisher)!).js.publish(subject, payload, { msgID: newId(), headers });
    },
    close: async () => {
      await Promise.all([...buses.values()].map(async (bus) => (await bus).connection.close()));
    },
  };
}
