/** Compares the deliveries of the stream and the effects at the consumer with the published events. */
import type { FlakyClient } from "./flaky-client.ts";
import { isInAudience, type PublishedEvent, type Stream } from "./ground-truth.ts";

type Deliveries = Pick<FlakyClient, "listener" | "spans">;

export interface StreamReport {
  deliveries: number;
  /** Events missing between the deliveries of a client. */
  gaps: number;
  /** Deliveries of an event that the same span already contains. */
  repeats: number;
  /** Deliveries to clients outside the event's audience. */
  foreign: number;
  /** Deliveries whose sequence is not above that of the delivery before. */
  disorder: number;
}

/** Returns all known events by epoch and sequence: those read from the stream and those delivered to any client. */
function streamsOf(clients: readonly Deliveries[], streamsRead: readonly Stream[]): Map<string, Map<number, string>> {
  const streams = new Map<string, Map<number, string>>();
  const eventsOf = (epoch: string) => streams.get(epoch) ?? streams.set(epoch, new Map()).get(epoch)!;
  for (const { epoch, events } of streamsRead) for (const [sequence, id] of events) eventsOf(epoch).set(sequence, id);
  for (const { spans } of clients)
    for (const { epoch, deliveries } of spans) for (const { sequence, eventId } of deliveries) eventsOf(epoch).set(sequence, eventId);
  return streams;
}

/** Checks deliveries: a client's last span must be complete up to the end of the stream, an earlier span up to its own last delivery. */
export function verifyStreams(clients: readonly Deliveries[], published: ReadonlyMap<string, PublishedEvent>, streamsRead: readonly Stream[]): StreamReport {
  const streams = streamsOf(clients, streamsRead);
  const last = streamsRead.at(-1)!;
  const mayReceive = (client: Deliveries, eventId: string) => {
    const event = published.get(eventId);
    return event !== undefined && isInAudience(client.listener, event);
  };
  const report: StreamReport = { deliveries: 0, gaps: 0, repeats: 0, foreign: 0, disorder: 0 };
  for (const client of clients) {
    for (const { epoch, startSequence, deliveries } of client.spans) {
      const isLast = epoch === last.epoch && deliveries === client.spans.at(-1)!.deliveries;
      report.deliveries += deliveries.length;
      const sequences = deliveries.map(({ sequence }) => sequence);
      report.disorder += sequences.filter((sequence, index) => sequence <= (sequences[index - 1] ?? startSequence)).length;
      report.repeats += deliveries.length - new Set(deliveries.map(({ eventId }) => eventId)).size;
      report.foreign += deliveries.filter(
        ({ eventId, organizationId }) => organizationId !== client.listener.user.organizationId || !mayReceive(client, eventId),
      ).length;
      const until = isLast ? Infinity : (sequences.at(-1) ?? startSequence);
      const received = new Set(sequences);
      for (const [sequence, id] of streams.get(epoch) ?? [])
        if (sequence > startSequence && sequence <= until && !received.has(sequence) && mayReceive(client, id)) report.gaps++;
    }
  }
  return report;
}

export interface EffectReport {
  expected: number;
  missing: number;
  repeated: number;
  /** Entities whose events were applied in another order than published. */
  disorder: number;
}

/** Checks that each event was applied once, and the events of an entity in the order of publication. */
export function verifyEffects(published: readonly PublishedEvent[], effects: readonly { eventId: string; entityId: string }[]): EffectReport {
  const applied = new Set(effects.map(({ eventId }) => eventId));
  // Two services may publish events of one entity; the order is guaranteed for each service.
  const publishedByEntity = Map.groupBy(published, ({ service, entityId }) => `${service} ${entityId}`);
  const effectsByEntity = Map.groupBy(effects, ({ entityId }) => entityId);
  const isInOrder = (events: readonly PublishedEvent[]) => {
    const positions = new Map(events.map(({ id }, index) => [id, index]));
    const appliedPositions = (effectsByEntity.get(events[0]!.entityId) ?? []).flatMap(({ eventId }) => positions.get(eventId) ?? []);
    return appliedPositions.every((position, index) => index === 0 || position > appliedPositions[index - 1]!);
  };
  return {
    expected: published.length,
    missing: published.filter(({ id }) => !applied.has(id)).length,
    repeated: effects.length - applied.size,
    disorder: [...publishedByEntity.values()].filter((events) => !isInOrder(events)).length,
  };
}
