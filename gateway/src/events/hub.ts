/** One reader of the event stream per process, which delivers events to the connections of their organization. */
import type { ProcessKeys } from "@freehold/kit/auth/keys";
import type { Logger } from "@freehold/kit/observability/log";
import { TOKEN_CHANGES_MS, type TokenChanges } from "../auth/token-changes.ts";
import { recentEvents } from "./recent-events.ts";
import { storedMessages } from "./stored-messages.ts";
import { lastSequenceOf, messageSequenceOf, streamedEvents, type StreamedEvent } from "./streamed-event.ts";
import { ensureStream, subjectFilter, type EventBus, type EventStream } from "@freehold/kit/events/nats";
import { onReconnect, sequenceToContinue, storedAt } from "@freehold/kit/events/lost-messages";
import { DeliverPolicy, type ConsumerMessages, type JsMsg } from "@nats-io/jetstream";
import { setTimeout as sleep } from "node:timers/promises";

export interface Listener {
  organizationId: string;
  receive(streamed: StreamedEvent): void;
  /** Called when the stream was replaced: positions in the previous stream are no longer valid. */
  reset(): void;
}

export interface Hub {
  /** Identifies the stream that the sequences belong to. It changes when the stream is replaced. */
  readonly epoch: string;
  /** Sequence of the last event read. */
  readonly position: number;
  readonly isReading: boolean;
  /** Resolves when the stream is read for the first time. */
  readonly reading: Promise<void>;
  /**
   * Returns an organization's buffered events after a sequence; undefined when the buffer does not contain all of them, or the
   * sequence has not been read yet.
   */
  bufferedEventsAfter(organizationId: string, afterSequence: number): StreamedEvent[] | undefined;
  /** Returns true for the sequence of an event that the stream has lost, and which it has given to another one. */
  isReused(sequence: number): boolean;
  add(listener: Listener): void;
  remove(listener: Listener): void;
  stop(): void;
}

interface HubOptions {
  bus: EventBus;
  keys: Pick<ProcessKeys, "isSignedBy">;
  /** Receives the changes that concern tokens: those of the last minutes before the first event is delivered, and every later one. */
  tokenChanges: TokenChanges;
  log: Logger;
}

export function startHub({ bus, keys, tokenChanges, log }: HubOptions): Hub {
  const listeners = new Map<string, Set<Listener>>();
  const recent = recentEvents();
  let epoch = "";
  let position = 0;
  /** Time at which the stream stored the newest message read; null before the first one. */
  let readUntil: string | null = null;
  /** Sequences of lost events, which the stream gives to other ones: those after `after` up to `upTo`. */
  let reused = { after: 0, upTo: 0 };
  let isReading = false;
  let isStopping = false;
  let messages: ConsumerMessages | undefined;
  const { promise: reading, resolve: onReading } = Promise.withResolvers<void>();

  function deliver(message: JsMsg): void {
    position = lastSequenceOf(message.seq);
    readUntil = storedAt(message);
    const onUnreadable = (error: unknown) =>
      log.error({ err: error, subject: message.subject, sequence: message.seq }, "an unreadable message is not streamed");
    for (const streamed of streamedEvents(epoch, keys, message, onUnreadable)) {
      if (recent.has(streamed.event.id)) {
        log.error({ subject: message.subject, sequence: message.seq, eventId: streamed.event.id }, "a repeated event is not streamed");
        continue;
      }
      tokenChanges.learn(streamed.event);
      recent.add(streamed);
      for (const listener of listeners.get(streamed.event.organizationId) ?? []) listener.receive(streamed);
    }
  }

  /** Learns the changes from before which tokens are still valid. */
  async function learnRecentChanges(stream: EventStream): Promise<void> {
    const start = { time: new Date(Date.now() - TOKEN_CHANGES_MS) };
    for await (const message of storedMessages(bus, stream, subjectFilter({ publisher: "identity" }), start))
      for (const { event } of streamedEvents(stream.epoch, keys, message)) tokenChanges.learn(event);
  }

  function resetListeners(): void {
    for (const set of listeners.values()) for (const listener of set) listener.reset();
  }

  /** Goes back to the last message that the stream still has, if it has lost messages that were read. */
  async function rewindAfterLoss(stream: EventStream): Promise<void> {
    const sequence = messageSequenceOf(position);
    const kept = await sequenceToContinue(bus, stream, { sequence, readUntil });
    if (kept >= sequence) return;
    log.error({ read: sequence, kept }, "the event stream has lost messages");
    reused = { after: lastSequenceOf(kept), upTo: Math.max(position, reused.upTo) };
    recent.reset((position = lastSequenceOf(kept)));
    resetListeners();
  }

  async function read(): Promise<void> {
    const stream = await ensureStream(bus);
    const isSameStream = stream.epoch === epoch;
    if (isSameStream) await rewindAfterLoss(stream);
    else {
      if (epoch !== "") resetListeners();
      recent.reset((position = lastSequenceOf(stream.state.last_seq)));
      reused = { after: 0, upTo: 0 };
      readUntil = stream.state.last_ts;
      await learnRecentChanges(stream);
    }
    epoch = stream.epoch;
    const consumer = await bus.js.consumers.get(stream.name, { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: messageSequenceOf(position) + 1 });
    messages = await consumer.consume({ max_messages: 500, idle_heartbeat: 2_000 });
    isReading = true;
    onReading();
    const epochCheck = setInterval(() => {
      const sequence = messageSequenceOf(position);
      ensureStream(bus)
        .then((latest) => (latest.epoch !== epoch || latest.state.last_seq < sequence) && messages?.stop())
        .catch(() => undefined);
    }, 1_000);
    try {
      for await (const message of messages) if (message.seq > messageSequenceOf(position)) deliver(message);
    } finally {
      isReading = false;
      clearInterval(epochCheck);
    }
  }

  // The server may have lost messages meanwhile.
  void onReconnect(bus, () => messages?.stop());
  void (async () => {
    while (!isStopping) {
      await read().catch((error: unknown) => !isStopping && log.warn({ err: error }, "reading the event stream failed and is retried"));
      await sleep(250, undefined, { ref: false });
    }
  })();

  return {
    get epoch() {
      return epoch;
    },
    get position() {
      return position;
    },
    get isReading() {
      return isReading;
    },
    isReused: (sequence) => sequence > reused.after && sequence <= reused.upTo,
    bufferedEventsAfter: (organizationId, afterSequence) => (afterSequence <= position ? recent.after(organizationId, afterSequence) : undefined),
    reading,
    add(listener) {
      const set = listeners.get(listener.organizationId) ?? new Set();
      listeners.set(listener.organizationId, set.add(listener));
    },
    remove(listener) {
      const set = listeners.get(listener.organizationId);
      set?.delete(listener);
      if (set?.size === 0) listeners.delete(listener.organizationId);
    },
    stop() {
      isStopping = true;
      messages?.stop();
    },
  };
}
