/** One reader of the event stream for the whole process, and the connections it serves, by organization. */
import type { Envelope } from "@freehold/contract/events";
import type { Logger } from "@freehold/kit/observability/log";
import { memory } from "./memory.ts";
import { ensureStream, streamEpochOf, STREAM, type EventBus } from "@freehold/kit/events/nats";
import { DeliverPolicy, type ConsumerMessages } from "@nats-io/jetstream";
import { setTimeout as sleep } from "node:timers/promises";

/** An event as it stands in the stream. */
export interface Streamed {
  sequence: number;
  event: Envelope;
  /** What a client reads; encoded once, and only when somebody does. */
  readonly frame: string;
}

export interface Listener {
  organizationId: string;
  receive(streamed: Streamed): void;
  /** What was promised to come after the last id is gone: start afresh. */
  reset(): void;
}

export interface Hub {
  /** Which stream the sequences count in, and how far it has been read. */
  readonly epoch: string;
  readonly position: number;
  readonly isReading: boolean;
  /** What an organization's clients missed since a sequence of this stream, if it is not too long ago. */
  recall(organizationId: string, after: number): Streamed[] | undefined;
  add(listener: Listener): void;
  remove(listener: Listener): void;
  stop(): void;
}

/** A frame tells a client everything of the event but who else may see it and what something was before. */
export function streamedOf(epoch: string, sequence: number, told: Envelope): Streamed {
  const { changes: _, ...event } = told;
  let frame: string | undefined;
  return {
    sequence,
    event,
    get frame() {
      return (frame ??= `id: ${epoch}-${sequence}\nevent: ${event.type}\ndata: ${JSON.stringify({ ...event, audience: undefined })}\n\n`);
    },
  };
}

export function startHub(bus: EventBus, log: Logger): Hub {
  const listeners = new Map<string, Set<Listener>>();
  const recent = memory();
  let epoch = "";
  let position = 0;
  let isReading = false;
  let isStopping = false;
  let messages: ConsumerMessages | undefined;

  function deliver(sequence: number, event: Envelope): void {
    position = sequence;
    const streamed = streamedOf(epoch, sequence, event);
    recent.keep(streamed);
    for (const listener of listeners.get(event.organizationId) ?? []) listener.receive(streamed);
  }

  async function read(): Promise<void> {
    const info = await ensureStream(bus);
    const current = streamEpochOf(info);
    const isSame = current === epoch;
    if (!isSame && epoch !== "") for (const set of listeners.values()) for (const listener of set) listener.reset();
    if (!isSame) recent.forget((position = info.state.last_seq));
    epoch = current;
    const consumer = await bus.js.consumers.get(STREAM, { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: position + 1 });
    messages = await consumer.consume({ max_messages: 500, idle_heartbeat: 2_000 });
    isReading = true;
    const watch = setInterval(() => {
      ensureStream(bus)
        .then((now) => streamEpochOf(now) !== epoch && messages?.stop())
        .catch(() => undefined);
    }, 1_000);
    try {
      for await (const message of messages) if (message.seq > position) deliver(message.seq, message.json<Envelope>());
    } finally {
      isReading = false;
      clearInterval(watch);
    }
  }

  void (async () => {
    while (!isStopping) {
      await read().catch((error: unknown) => !isStopping && log.warn({ err: error }, "the event stream pauses"));
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
    recall: (organizationId, after) => (after <= position ? recent.since(organizationId, after) : undefined),
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
