/**
 * The other gateways of a deployment, found and called through NATS. They share counts that may be lost; a gateway without
 * peers works on its own.
 */
import type { EventBus } from "@freehold/kit/events/nats";
import type { Msg } from "@nats-io/transport-node";
import { createHash, randomUUID } from "node:crypto";
import { z } from "zod";

const HEARTBEAT_MS = 500;
const HEARTBEAT_TIMEOUT_MS = 2_000;
const CALL_TIMEOUT_MS = 200;
const HEARTBEAT_SUBJECT = "gateways.alive";

export interface Peers {
  /** Returns the ids of the other gateways with a recent heartbeat. */
  otherGateways(): readonly string[];
  /** Returns the gateway that owns a key; undefined when this one does. Gateways that see the same peers agree. */
  ownerOf(key: string): string | undefined;
  /** Calls a function of another gateway; rejects when it does not respond in time. */
  call<Input, Result>(gateway: string, name: string, input: Input): Promise<Result>;
  /** Registers a function for the calls of other gateways. */
  register<Input, Result>(name: string, run: (input: Input) => Result): void;
  join(bus: EventBus): void;
  leave(): void;
}

export function createPeers(): Peers {
  const self: string = randomUUID();
  const lastHeartbeats = new Map<string, number>();
  const functions = new Map<string, (input: never) => unknown>();
  let bus: EventBus | undefined;
  let heartbeat: NodeJS.Timeout | undefined;

  const otherGateways = () => [...lastHeartbeats].filter(([, at]) => performance.now() - at < HEARTBEAT_TIMEOUT_MS).map(([id]) => id);
  const sendHeartbeat = (isLeaving: boolean) => bus?.connection.publish(HEARTBEAT_SUBJECT, JSON.stringify({ id: self, isLeaving }));

  /** Answers a call. Does not answer one that this version of the gateway cannot read; the caller then works on its own. */
  function respond(message: Msg): void {
    try {
      const { name, input } = message.json<{ name: string; input: never }>();
      const run = functions.get(name);
      if (run) message.respond(JSON.stringify(run(input)));
    } catch {
      // An error would end the reading of the connection.
    }
  }

  return {
    otherGateways,
    ownerOf(key) {
      if (lastHeartbeats.size === 0) return undefined;
      let [owner, highest] = [self, weight(self, key)];
      for (const id of otherGateways()) {
        const candidate = weight(id, key);
        if (candidate > highest) [owner, highest] = [id, candidate];
      }
      return owner === self ? undefined : owner;
    },
    async call<Input, Result>(gateway: string, name: string, input: Input): Promise<Result> {
      if (!bus) throw new Error("not connected to NATS yet");
      const reply = await bus.connection.request(`gateways.${gateway}`, JSON.stringify({ name, input }), { timeout: CALL_TIMEOUT_MS });
      return reply.json<Result>();
    },
    register(name, run) {
      functions.set(name, run as (input: never) => unknown);
    },
    join(joined) {
      bus = joined;
      bus.connection.subscribe(HEARTBEAT_SUBJECT, {
        callback: (_error, message) => {
          const heartbeat = parseHeartbeat(message.string());
          if (heartbeat?.isLeaving) lastHeartbeats.delete(heartbeat.id);
          else if (heartbeat && heartbeat.id !== self) lastHeartbeats.set(heartbeat.id, performance.now());
        },
      });
      bus.connection.subscribe(`gateways.${self}`, {
        callback: (_error, message) => respond(message),
      });
      sendHeartbeat(false);
      heartbeat = setInterval(() => sendHeartbeat(false), HEARTBEAT_MS).unref();
    },
    leave() {
      clearInterval(heartbeat);
      sendHeartbeat(true);
    },
  };
}

const Heartbeat = z.object({ id: z.uuid(), isLeaving: z.boolean() });

/**
 * Returns undefined for anything else than a heartbeat. Only gateways may publish heartbeats, but NATS delivers stored events to any
 * subject that a service names, and an error would end the reading of the connection.
 */
function parseHeartbeat(text: string): z.output<typeof Heartbeat> | undefined {
  try {
    return Heartbeat.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Rendezvous hashing: the gateway with the highest weight owns a key, so that a gateway that joins or leaves moves only its own keys. */
const weight = (gateway: string, key: string): number => createHash("sha1").update(`${gateway}|${key}`).digest().readUInt32BE();
