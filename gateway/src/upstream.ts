/** The replicas of one service: round robin over the healthy ones. */
import { unavailable } from "@freehold/kit/errors";
import { Pool } from "undici";

const HEALTH_CHECK_MS = 500;
const HEALTH_TIMEOUT_MS = 1_000;

export interface Replica {
  readonly origin: string;
  readonly pool: Pool;
  /** Skipped while another replica is healthy. */
  isUnhealthy: boolean;
}

export interface Upstream {
  readonly replicas: readonly Replica[];
  /** Returns the replica for the next request. */
  next(): Replica;
  /** Runs a request of the service. Throws 503 while the service has its maximum of requests in progress, before any work is done. */
  admit<T>(request: () => Promise<T>): Promise<T>;
  /** Skips a replica that failed until its next successful health check. */
  markUnhealthy(replica: Replica): void;
  close(): void;
}

/**
 * Maximum number of requests in progress at a replica: less than a second of work at the rate of the slowest writes. Further requests
 * would wait until after their callers have timed out.
 */
const MAX_IN_PROGRESS = 512;

/** Creates the upstream of a service. A single origin is not health-checked: it may be a load balancer. */
export function upstream(origins: readonly string[], maxInProgress = MAX_IN_PROGRESS * origins.length): Upstream {
  let inProgress = 0;
  const replicas = origins.map((origin): Replica => ({ origin, pool: poolOf(origin), isUnhealthy: false }));
  let turn = 0;

  async function checkHealth(replica: Replica): Promise<void> {
    const response = await replica.pool
      .request({ path: "/health/ready", method: "GET", headersTimeout: HEALTH_TIMEOUT_MS, bodyTimeout: HEALTH_TIMEOUT_MS })
      .catch(() => undefined);
    await response?.body.dump();
    replica.isUnhealthy = response?.statusCode !== 200;
  }
  const healthChecks = replicas.length > 1 ? setInterval(() => void Promise.all(replicas.map(checkHealth)), HEALTH_CHECK_MS).unref() : undefined;

  return {
    replicas,
    next() {
      const first = turn++;
      const candidates = replicas.map((_, index) => replicas[(first + index) % replicas.length]!);
      return candidates.find(({ isUnhealthy }) => !isUnhealthy) ?? candidates[0]!;
    },
    async admit(request) {
      if (inProgress >= maxInProgress) throw unavailable(new Error("The service has its maximum of requests in progress."));
      inProgress++;
      try {
        return await request();
      } finally {
        inProgress--;
      }
    },
    markUnhealthy(replica) {
      if (replicas.length > 1) replica.isUnhealthy = true;
    },
    close() {
      clearInterval(healthChecks);
      for (const { pool } of replicas) void pool.destroy();
    },
  };
}

const poolOf = (origin: string): Pool =>
  new Pool(origin, {
    connections: 128,
    pipelining: 1,
    keepAliveTimeout: 30_000,
    headersTimeout: 35_000,
    bodyTimeout: 35_000,
    connectTimeout: 2_000,
  });
