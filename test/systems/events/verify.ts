/** Compares what was told and what took effect with what is true. */
import type { FlakyClient } from "./flaky-client.ts";
import { isAudience, type PublishedEvent, type Stream } from "./ground-truth.ts";

export interface StreamReport {
  deliveries: number;
  /** Events that a client should have been told of between two others that it was. */
  gaps: number;
  repeats: number;
  /** Told to somebody whom it does not concern. */
  foreign: number;
  disorder: number;
}

/** Every event that anybody was told of, by epoch and sequence, beside what was read from the stream itself. */
function streamsOf(clients: readonly FlakyClient[], read: readonly Stream[]): Map<string, Map<number, string>> {
  const streams = new Map<string, Map<number, string>>();
  const of = (epoch: string) => streams.get(epoch) ?? streams.set(epoch, new Map()).get(epoch)!;
  for (const { epoch, events } of read) for (const [sequence, id] of events) of(epoch).set(sequence, id);
  for (const { spans } of clients) for (const { epoch, deliveries: told } of spans) for (const { sequence, eventId } of told) of(epoch).set(sequence, eventId);
  return streams;
}

/** At last each client must have been told of everything up to the end of the stream; before a reset up to what it heard last. */
export function verifyStreams(clients: readonly FlakyClient[], truth: ReadonlyMap<string, PublishedEvent>, read: readonly Stream[]): StreamReport {
  const streams = streamsOf(clients, read);
  const last = read.at(-1)!;
  const isFor = (client: FlakyClient, eventId: string) => {
    const event = truth.get(eventId);
    return event !== undefined && isAudience(client.who, event);
  };
  const found: StreamReport = { deliveries: 0, gaps: 0, repeats: 0, foreign: 0, disorder: 0 };
  for (const client of clients) {
    for (const { epoch, after, deliveries: told } of client.spans) {
      const isLast = epoch === last.epoch && told === client.spans.at(-1)!.deliveries;
      found.deliveries += told.length;
      const sequences = told.map(({ sequence }) => sequence);
      found.disorder += sequences.filter((sequence, index) => sequence <= (sequences[index - 1] ?? after)).length;
      found.repeats += told.length - new Set(told.map(({ eventId }) => eventId)).size;
      found.foreign += told.filter(({ eventId, organizationId }) => organizationId !== client.who.user.organizationId || !isFor(client, eventId)).length;
      const until = isLast ? Infinity : (sequences.at(-1) ?? after);
      const heard = new Set(sequences);
      for (const [sequence, id] of streams.get(epoch) ?? [])
        if (sequence > after && sequence <= until && !heard.has(sequence) && isFor(client, id)) found.gaps++;
    }
  }
  return found;
}

export interface EffectReport {
  expected: number;
  missing: number;
  repeated: number;
  /** Entities whose events took effect in another order than they were announced. */
  disorder: number;
}

/** Each event must have taken effect once, and the events of an entity in the order in which they were announced. */
export function verifyEffects(all: readonly PublishedEvent[], effects: readonly { eventId: string; entityId: string }[]): EffectReport {
  const took = new Set(effects.map(({ eventId }) => eventId));
  // Two services may speak of one entity; each keeps its own order.
  const announcedOf = Map.groupBy(all, ({ from, entityId }) => `${from} ${entityId}`);
  const effectsOf = Map.groupBy(effects, ({ entityId }) => entityId);
  const inOrder = (announced: readonly PublishedEvent[]) => {
    const place = new Map(announced.map(({ id }, index) => [id, index]));
    const places = (effectsOf.get(announced[0]!.entityId) ?? []).flatMap(({ eventId }) => place.get(eventId) ?? []);
    return places.every((each, index) => index === 0 || each > places[index - 1]!);
  };
  return {
    expected: all.length,
    missing: all.filter(({ id }) => !took.has(id)).length,
    repeated: effects.length - took.size,
    disorder: [...announcedOf.values()].filter((announced) => !inOrder(announced)).length,
  };
}
