/** The one place that knows the NATS client. */
import {
  DiscardPolicy,
  jetstream,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
  type JetStreamClient,
  type JetStreamManager,
  type StreamInfo,
} from "@nats-io/jetstream";
import { ConfigurationError } from "./config.ts";
import { TRACE_HEADER } from "./tracing.ts";
import { connect, headers, nanos, type MsgHdrs, type NatsConnection } from "@nats-io/transport-node";

export const STREAM = "EVENTS";
export const HOURS_KEPT = 72;
/** Into how many parts the events of all entities fall, and so how many replicas of a service can share them. */
export const PARTITIONS = 8;
const hours = (count: number) => count * 3_600_000;

export interface Bus {
  connection: NatsConnection;
  /** How many servers keep a copy of each event. */
  replicas: number;
  js: JetStreamClient;
  manager: JetStreamManager;
}

/** Connects and keeps reconnecting; a server that is away delays events and nothing else. */
export async function connectBus(url: string, name: string, replicas = 1): Promise<Bus> {
  const connection = await connect({
    servers: url.split(","),
    name,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    waitOnFirstConnect: true,
    pingInterval: 5_000,
  });
  // A manager that checks at once would fail while the server is away.
  return { connection, replicas, js: jetstream(connection), manager: await jetstreamManager(connection, { checkAPI: false }) };
}

/** JetStream is there, but not for the account that we connect with. */
const NO_JETSTREAM_FOR_US = 10039;

/** Throws when the server answers and has no JetStream; one that does not answer yet is given time. */
export async function requireJetStream({ manager }: Bus): Promise<void> {
  await manager.getAccountInfo().catch((error: unknown) => {
    if ((error as Error).name === "JetStreamNotEnabled" || (error as { code?: number }).code === NO_JETSTREAM_FOR_US)
      throw new ConfigurationError("NATS_URL is wrong: the NATS server runs without JetStream. Start it with -js.", { cause: error });
  });
}

/** The stream of all events, created when it is missing. */
export async function ensureStream({ manager, replicas }: Bus): Promise<StreamInfo> {
  try {
    return await manager.streams.info(STREAM);
  } catch (error) {
    if (!/stream not found/i.test(String(error))) throw error;
    return await manager.streams.add({
      name: STREAM,
      subjects: ["events.>"],
      storage: StorageType.File,
      retention: RetentionPolicy.Limits,
      discard: DiscardPolicy.Old,
      max_age: nanos(hours(HOURS_KEPT)),
      duplicate_window: nanos(hours(1) / 12),
      num_replicas: replicas,
    });
  }
}

/** What tells the consumer of an event which trace it belongs to. */
export function traceHeaders(traceParent: string): MsgHdrs {
  const carrier = headers();
  carrier.set(TRACE_HEADER, traceParent);
  return carrier;
}

/** When the stream came to be, in base 36: ids of an earlier stream are told apart by it. */
export const epochOf = (info: StreamInfo): string => Date.parse(info.created as unknown as string).toString(36);

/** All events of an entity are of one partition. */
const partitionOf = (entityId: string): number => Number.parseInt(entityId.slice(-4), 16) % PARTITIONS;

export const subjectOf = ({ organizationId, entityId, type }: { organizationId: string; entityId: string; type: string }): string =>
  `events.${organizationId}.${partitionOf(entityId)}.${type}`;

/** The type of an event, from its subject. */
export const typeIn = (subject: string): string => subject.split(".").slice(3).join(".");

/** The events of one partition in every organization, all or those of one type, or of one organization in every partition. */
export const subjectsOf = (which: { partition: number; type?: string | undefined } | { organizationId: string }): string =>
  "partition" in which ? `events.*.${which.partition}.${which.type ?? ">"}` : `events.${which.organizationId}.>`;
