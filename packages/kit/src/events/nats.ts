/** NATS JetStream: the connection, the stream of all events, and its subjects. */
import {
  DiscardPolicy,
  jetstream,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
  type JetStreamClient,
  type JetStreamManager,
  type StreamState,
} from "@nats-io/jetstream";
import { connect, headers, nanos, type MsgHdrs, type NatsConnection } from "@nats-io/transport-node";
import { ConfigurationError } from "../config.ts";
import { newId } from "../db/entity.ts";
import { TRACE_HEADER } from "../observability/tracing.ts";

/** The subjects of all events. */
const SUBJECTS = "events.>";
export const RETENTION_HOURS = 72;
/** Number of partitions of the event stream, and so the most replicas of a service that can share its events. */
export const PARTITIONS = 8;
const hours = (count: number) => count * 3_600_000;

export interface EventBus {
  connection: NatsConnection;
  /** Number of servers that store each event. */
  replicas: number;
  js: JetStreamClient;
  manager: JetStreamManager;
}

/** Connects to NATS and keeps reconnecting; while the servers are down, events are delayed and nothing else. */
export async function connectBus(url: string, name: string, replicas = 1): Promise<EventBus> {
  const connection = await connect({
    servers: url.split(","),
    name,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    waitOnFirstConnect: true,
    pingInterval: 5_000,
  });
  // The default API check would fail while the servers are down.
  return { connection, replicas, js: jetstream(connection), manager: await jetstreamManager(connection, { checkAPI: false }) };
}

/** Error code: JetStream is not enabled for the account. */
const JETSTREAM_NOT_ENABLED_FOR_ACCOUNT = 10039;

/** Throws a `ConfigurationError` when the server runs without JetStream. A server that does not respond yet is accepted. */
export async function requireJetStream({ manager }: EventBus): Promise<void> {
  await manager.getAccountInfo().catch((error: unknown) => {
    if ((error as Error).name === "JetStreamNotEnabled" || (error as { code?: number }).code === JETSTREAM_NOT_ENABLED_FOR_ACCOUNT)
      throw new ConfigurationError("NATS_URL is wrong: the NATS server runs without JetStream. Start it with -js.", { cause: error });
  });
}

/** The stream of all events. When NATS has lost it, a stream with another name and epoch takes its place. */
export interface EventStream {
  name: string;
  /** Creation time of the stream in base 36, which tells its sequences from those of an earlier stream. */
  epoch: string;
  state: StreamState;
}

/**
 * Returns the stream of all events, which is created when it is missing. Every stream has a name of its own, so that a
 * request that names an earlier stream, also one that was sent before NATS lost it, never reads or changes its successor.
 */
export async function ensureStream({ manager, replicas }: EventBus): Promise<EventStream> {
  const [existing] = await manager.streams.names(SUBJECTS).next();
  const info = existing
    ? await manager.streams.info(existing)
    : await manager.streams.add({
        name: `EVENTS-${newId()}`,
        subjects: [SUBJECTS],
        storage: StorageType.File,
        retention: RetentionPolicy.Limits,
        discard: DiscardPolicy.Old,
        max_age: nanos(hours(RETENTION_HOURS)),
        duplicate_window: nanos(hours(1) / 12),
        num_replicas: replicas,
      });
  return { name: info.config.name, epoch: Date.parse(String(info.created)).toString(36), state: info.state };
}

/** Returns the message headers that continue a trace at the consumer. */
export function traceHeaders(traceParent: string): MsgHdrs {
  const carrier = headers();
  carrier.set(TRACE_HEADER, traceParent);
  return carrier;
}

/** Returns the partition of an entity, which all of its events share. */
const partitionOf = (entityId: string): number => Number.parseInt(entityId.slice(-4), 16) % PARTITIONS;

export const subjectOf = ({ organizationId, entityId, type }: { organizationId: string; entityId: string; type: string }): string =>
  `events.${organizationId}.${partitionOf(entityId)}.${type}`;

/** Returns the type of an event from its subject. */
export const eventTypeOf = (subject: string): string => subject.split(".").slice(3).join(".");

/** Returns the subject filter for one partition of all organizations, optionally of one event type, or for one organization. */
export const subjectFilter = (filter: { partition: number; type?: string | undefined } | { organizationId: string }): string =>
  "partition" in filter ? `events.*.${filter.partition}.${filter.type ?? ">"}` : `events.${filter.organizationId}.>`;
