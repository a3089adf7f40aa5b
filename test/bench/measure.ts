/** Measures throughput and latency. Each result of a benchmark is the median of three rounds. */
import autocannon from "autocannon";

export const SECONDS = Number(process.env["BENCH_SECONDS"] ?? 4);
export const ROUNDS = 3;

export interface HttpTarget {
  url: string;
  connections: number;
  headers?: Record<string, string>;
  /** Returns the body of the next POST request; without this function the requests are GETs. */
  nextBody?: () => string;
}

/** Returns the successful requests per second. Throws an error if any request fails. */
export async function requestsPerSecond({ url, connections, headers = {}, nextBody }: HttpTarget): Promise<number> {
  const result = await autocannon({
    url,
    connections,
    duration: SECONDS,
    headers,
    ...(nextBody && {
      requests: [
        {
          method: "POST" as const,
          headers: { ...headers, "content-type": "application/json" },
          setupRequest: (request: autocannon.Request) => ({ ...request, body: nextBody() }),
        },
      ],
    }),
  });
  const failed = result.errors + result.non2xx;
  if (failed > 0) throw new Error(`${url}: ${failed} of ${result.requests.total} requests failed.`);
  return result["2xx"] / result.duration;
}

/** Returns the completed calls per second at the given concurrency. */
export async function callsPerSecond(concurrency: number, call: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  const deadline = started + SECONDS * 1_000;
  let completed = 0;
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (performance.now() < deadline) {
        await call();
        completed++;
      }
    }),
  );
  return completed / ((performance.now() - started) / 1_000);
}

export const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;

/** Target of a ratio: a minimum for throughput, a maximum for time and memory, or `none` for information only. */
export type Target = { atLeast: number } | { atMost: number } | "none";

export interface Benchmark {
  name: string;
  against: string;
  target: Target;
  unit: string;
  /** Changes the system before the benchmark; later benchmarks run against the changed system. */
  prepare?: () => Promise<void>;
  /** Measures the system. */
  ours: () => Promise<number>;
  /** Measures the baseline. */
  theirs: () => Promise<number>;
}

export type BenchmarkResult = Pick<Benchmark, "name" | "against" | "target" | "unit"> & Record<"ours" | "theirs" | "ratio", number>;

/** Measures the system and the baseline alternately, three times each. The ratio is the median of the ratios of the rounds. */
export async function runBenchmark({ prepare, ours, theirs, ...description }: Benchmark): Promise<BenchmarkResult> {
  await prepare?.();
  const rounds: { ours: number; theirs: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push({ ours: await ours(), theirs: await theirs() });
  return {
    ...description,
    ours: median(rounds.map((round) => round.ours)),
    theirs: median(rounds.map((round) => round.theirs)),
    ratio: median(rounds.map((round) => round.ours / round.theirs)),
  };
}

export const meetsTarget = ({ ratio, target }: BenchmarkResult): boolean =>
  target === "none" || ("atLeast" in target ? ratio >= target.atLeast : ratio <= target.atMost);

/** Formats the target for the report, such as `≥ 0.65`. */
export const formatTarget = ({ target }: BenchmarkResult): string => {
  if (target === "none") return "none";
  return "atLeast" in target ? `≥ ${target.atLeast.toFixed(2)}` : `≤ ${target.atMost.toFixed(2)}`;
};

/** Returns a percentile of the values; `share` is between 0 and 1, such as 0.95. */
export const percentile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))]!;

/** Returns the times in milliseconds of sequential calls during one second, at least 10, after at most 10 warm-up calls in half a second. */
export async function timesOf(call: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  const warm = performance.now() + 500;
  for (let warmUp = 0; warmUp < 10 && (warmUp < 2 || performance.now() < warm); warmUp++) await call();
  const deadline = performance.now() + 1_000;
  while (times.length < 10 || performance.now() < deadline) {
    const started = performance.now();
    await call();
    times.push(performance.now() - started);
  }
  return times;
}

/** Returns the median of `timesOf`. */
export const medianMs = async (call: () => Promise<unknown>): Promise<number> => median(await timesOf(call));
/** Returns the 95th percentile of `timesOf`. */
export const p95Ms = async (call: () => Promise<unknown>): Promise<number> => percentile(await timesOf(call), 0.95);
