/** NATS JetStream: the stream of all events, and its subjects. */
import {
  DiscardPolicy,
  jetstream,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
  type JetStreamClient,
  type JetStreamManager,
  type StreamInfo,
  type StreamState,
} from "@nats-io/jetstream";
import { nanos, type NatsConnection } from "@nats-io/transport-node";
import { eventSubscribers } from "@freehold/contract/event-subscribers";
import type { Service } from "@freehold/contract/operation";
import { ConfigurationError } from "../config.ts";
import { newId } from "../db/entity.ts";
import { connectToNats, type BusOptions } from "./connection.ts";

/** The subjects of all messages of the event stream. */
const SUBJECTS = "published.>";
export const RETENTION_HOURS = 72;
/** Number of partitions of the event stream, and so the maximum number of replicas of a service that share its events. */
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
export async function connectBus(options: BusOptions): Promise<EventBus> {
  const connection = await connectToNats(options);
  // The default API check would fail while the servers are down.
  return { connection, replicas: options.replicas ?? 1, js: jetstream(connection), manager: await jetstreamManager(connection, { checkAPI: false }) };
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
  createdAt: Date;
  state: StreamState;
}

/**
 * Returns the stream of all events, which is created when it is missing. Every stream has a name of its own, so that a
 * request that names an earlier stream, also one that was sent before NATS lost it, never reads or changes its successor.
 */
export async function ensureStream({ manager, replicas }: EventBus): Promise<EventStream> {
  const info = (await findStream(manager)) ?? (await createStream(manager, replicas));
  const createdAt = new Date(String(info.created));
  return { name: info.config.name, epoch: createdAt.getTime().toString(36), createdAt, state: info.state };
}

/** Error code: the stream does not exist, because it was lost after its name was read. */
const STREAM_NOT_FOUND = 10059;

async function findStream(manager: JetStreamManager): Promise<StreamInfo | undefined> {
  const [name] = await manager.streams.names(SUBJECTS).next();
  if (name === undefined) return undefined;
  return manager.streams.info(name).catch((error: { code?: number }) => {
    if (error.code === STREAM_NOT_FOUND) return undefined;
    throw error as Error;
  });
}

/** Error codes: another stream has the subjects; the account has reached its limit of one stream. */
const STREAM_EXISTS_CODES = [10065, 10027];

/** Creates the stream, or returns the one that another process has created in the meantime. */
async function createStream(manager: JetStreamManager, replicas: number): Promise<StreamInfo> {
  try {
    return await manager.streams.add({
      name: `EVENTS-${newId()}`,
      subjects: [SUBJECTS],
      storage: StorageType.File,
      retention: RetentionPolicy.Limits,
      discard: DiscardPolicy.Old,
      max_age: nanos(hours(RETENTION_HOURS)),
      duplicate_window: nanos(hours(1) / 12),
      num_replicas: replicas,
    });
  } catch (error) {
    const created = STREAM_EXISTS_CODES.includes((error as { code?: number }).code ?? 0) ? await findStream(manager) : undefined;
    if (!created) throw error;
    return created;
  }
}

const subscribers = Object.keys(eventSubscribers) as Service[];
const NO_SUBSCRIBER = "-";

/** Returns the last part of a subject: one token for each service that can subscribe, its name if it consumes the type and `-` otherwise. */
export const subscribersOf = (type: string): string =>
  subscribers.map((service) => ((eventSubscribers[service] as readonly string[]).includes(type) ? service : NO_SUBSCRIBER)).join(".");

/** Returns the partition of an organization, which all of its messages share. */
export const partitionOf = (organizationId: string): number => Number.parseInt(organizationId.slice(-4), 16) % PARTITIONS;

/** Returns the subject of a message of events of one organization with the same subscribers. */
export const subjectOf = ({ publisher, organizationId, type }: { publisher: string; organizationId: string; type: string }): string =>
  `published.${publisher}.${partitionOf(organizationId)}.${organizationId}.${subscribersOf(type)}`;

/** Returns the publisher and the organization of a message. */
export function readSubject(subject: string): { publisher: string; organizationId: string } {
  const [, publisher = "", , organizationId = ""] = subject.split(".");
  return { publisher, organizationId };
}

/**
 * Returns the subject filter of an organization, of a publisher, or of a partition; if `subscriber` is a service, only of the
 * partition's messages for that service. NATS before 2.10 accepts a single filter for each consumer.
 */
export function subjectFilter(filter: { partition: number; subscriber: string } | { organizationId: string } | { publisher: string }): string {
  if ("publisher" in filter) return `published.${filter.publisher}.>`;
  if ("organizationId" in filter) return `published.*.*.${filter.organizationId}.>`;
  const tokens = subscribers.map((service) => (service === filter.subscriber ? service : "*")).join(".");
  return `published.*.${filter.partition}.*.${tokens}`;
}
