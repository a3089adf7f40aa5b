/** The replicas of one service as the gateway sees them: asked in turn, and not while one is away or about to end. */
import { Pool } from "undici";

const LOOK_MS = 500;
const PATIENCE_MS = 1_000;

export interface Replica {
  readonly origin: string;
  readonly pool: Pool;
  /** Asked only when no other is left. */
  isOut: boolean;
}

export interface Upstream {
  readonly replicas: readonly Replica[];
  /** Whose turn it is. */
  next(): Replica;
  /** It did not answer: the others are asked until it says that it is ready. */
  fail(replica: Replica): void;
  close(): void;
}

/** With one origin there is no choice and nobody is watched: what stands behind its name chooses. */
export function upstream(origins: readonly string[]): Upstream {
  const replicas = origins.map((origin): Replica => ({ origin, pool: poolOf(origin), isOut: false }));
  let turn = 0;

  async function look(replica: Replica): Promise<void> {
    const answer = await replica.pool
      .request({ path: "/health/ready", method: "GET", headersTimeout: PATIENCE_MS, bodyTimeout: PATIENCE_MS })
      .catch(() => undefined);
    await answer?.body.dump();
    replica.isOut = answer?.statusCode !== 200;
  }
  const watch = replicas.length > 1 ? setInterval(() => void Promise.all(replicas.map(look)), LOOK_MS).unref() : undefined;

  return {
    replicas,
    next() {
      const from = turn++;
      const inTurn = replicas.map((_, index) => replicas[(from + index) % replicas.length]!);
      return inTurn.find(({ isOut }) => !isOut) ?? inTurn[0]!;
    },
    fail(replica) {
      if (replicas.length > 1) replica.isOut = true;
    },
    close() {
      clearInterval(watch);
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
