/**
 * The gateways of a deployment, known to each other through NATS: who lives, and a question to one of them. What they
 * share are counts that may be lost; a gateway that hears nobody goes on by itself.
 */
import type { EventBus } from "@freehold/kit/events/nats";
import { createHash, randomUUID } from "node:crypto";

const ALIVE_MS = 500;
const GONE_MS = 2_000;
const PATIENCE_MS = 200;
const ALIVE = "gateways.alive";

export interface Peers {
  /** The other gateways that live. */
  others(): readonly string[];
  /** Which gateway keeps the count of a key; undefined when this one does. All that see the same gateways agree. */
  keeperOf(key: string): string | undefined;
  /** Asks another gateway; rejects when it does not answer soon. */
  ask<Q, A>(gateway: string, question: string, about: Q): Promise<A>;
  /** Answers a question of the others. */
  answer<Q, A>(question: string, answer: (about: Q) => A): void;
  join(bus: EventBus): void;
  leave(): void;
}

export function peers(): Peers {
  const self: string = randomUUID();
  const seenAt = new Map<string, number>();
  const answers = new Map<string, (about: never) => unknown>();
  let bus: EventBus | undefined;
  let beat: NodeJS.Timeout | undefined;

  const others = () => [...seenAt].filter(([, at]) => performance.now() - at < GONE_MS).map(([id]) => id);
  const announce = (isLeaving: boolean) => bus?.connection.publish(ALIVE, JSON.stringify({ id: self, isLeaving }));

  return {
    others,
    keeperOf(key) {
      if (seenAt.size === 0) return undefined;
      let [keeper, highest] = [self, weight(self, key)];
      for (const id of others()) {
        const its = weight(id, key);
        if (its > highest) [keeper, highest] = [id, its];
      }
      return keeper === self ? undefined : keeper;
    },
    async ask<Q, A>(gateway: string, question: string, about: Q): Promise<A> {
      if (!bus) throw new Error("no other gateway can be asked yet");
      const reply = await bus.connection.request(`gateways.${gateway}`, JSON.stringify({ question, about }), { timeout: PATIENCE_MS });
      return reply.json<A>();
    },
    answer(question, answer) {
      answers.set(question, answer as (about: never) => unknown);
    },
    join(joined) {
      bus = joined;
      bus.connection.subscribe(ALIVE, {
        callback: (_error, message) => {
          const { id, isLeaving } = message.json<{ id: string; isLeaving: boolean }>();
          if (isLeaving) seenAt.delete(id);
          else if (id !== self) seenAt.set(id, performance.now());
        },
      });
      bus.connection.subscribe(`gateways.${self}`, {
        callback: (_error, message) => {
          const { question, about } = message.json<{ question: string; about: never }>();
          message.respond(JSON.stringify(answers.get(question)!(about)));
        },
      });
      announce(false);
      beat = setInterval(() => announce(false), ALIVE_MS).unref();
    },
    leave() {
      clearInterval(beat);
      announce(true);
    },
  };
}

/** The gateway with the highest weight keeps a key: when one comes or goes, only its own keys move. */
const weight = (gateway: string, key: string): number => createHash("sha1").update(`${gateway}|${key}`).digest().readUInt32BE();
