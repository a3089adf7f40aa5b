/** The replicas of one service: round robin over the healthy ones, with fair turns at their connections. */
import { Pool } from "undici";
import { fairTurns, type FairTurns, type TurnLimits } from "@freehold/kit/fair-turns";

const HEALTH_CHECK_MS = 500;
const HEALTH_TIMEOUT_MS = 1_000;

export interface Replica {
  readonly origin: string;
  /** Connections for JSON requests. */
  readonly json: Pool;
  /** Connections for uploads and downloads, which can last as long as their client needs. */
  readonly files: Pool;
  /** Skipped while another replica is healthy. */
  isUnhealthy: boolean;
}

export type ConnectionKind = "json" | "files";

export interface Upstream {
  readonly replicas: readonly Replica[];
  /** Returns the replica for the next request. */
  next(): Replica;
  /** Turns at the connections of the service. */
  readonly turns: Readonly<Record<ConnectionKind, FairTurns>>;
  /** Skips a replica that failed until its next successful health check. */
  markUnhealthy(replica: Replica): void;
  close(): void;
}

const JSON_CONNECTIONS = 128;
const FILE_CONNECTIONS = 256;
/** Creates the upstream of a service. A single origin is not health-checked: it may be a load balancer. */
export function upstream(origins: readonly string[]): Upstream {
  const replicas = origins.map((origin): Replica => ({
    origin,
    json: poolOf(origin, JSON_CONNECTIONS, 35_000),
    files: poolOf(origin, FILE_CONNECTIONS, 125_000),
    isUnhealthy: false,
  }));
  let turn = 0;

  async function checkHealth(replica: Replica): Promise<void> {
    const response = await replica.json
      .request({ path: "/health/ready", method: "GET", headersTimeout: HEALTH_TIMEOUT_MS, bodyTimeout: HEALTH_TIMEOUT_MS })
      .catch(() => undefined);
    await response?.body.dump();
    replica.isUnhealthy = response?.statusCode !== 200;
  }
  const healthChecks = replicas.length > 1 ? setInterval(() => void Promise.all(replicas.map(checkHealth)), HEALTH_CHECK_MS).unref() : undefined;

  return {
    replicas,
    turns: {
      json: turnsOf(JSON_CONNECTIONS * origins.length, { group: 1 / 2, member: 1 / 4 }, { waiting: 512, waitMs: 30_000 }),
      files: turnsOf(FILE_CONNECTIONS * origins.length, { group: 1 / 4, member: 1 / 8 }, { waiting: 64, waitMs: 60_000 }),
    },
    next() {
      const first = turn++;
      const candidates = replicas.map((_, index) => replicas[(first + index) % replicas.length]!);
      return candidates.find(({ isUnhealthy }) => !isUnhealthy) ?? candidates[0]!;
    },
    markUnhealthy(replica) {
      if (replicas.length > 1) replica.isUnhealthy = true;
    },
    close() {
      clearInterval(healthChecks);
      for (const { json, files } of replicas) void Promise.all([json.destroy(), files.destroy()]);
    },
  };
}

/** Creates the turns at connections. Those that wait are about a second of work of a service, or uploads whose first bytes are in memory. */
const turnsOf = (connections: number, part: { group: number; member: number }, wait: Pick<TurnLimits, "waiting" | "waitMs">): FairTurns =>
  fairTurns({ total: connections, perGroup: connections * part.group, perMember: connections * part.member, ...wait });

const poolOf = (origin: string, connections: number, timeoutMs: number): Pool =>
  new Pool(origin, { connections, pipelining: 1, keepAliveTimeout: 30_000, headersTimeout: timeoutMs, bodyTimeout: timeoutMs, connectTimeout: 2_000 });
