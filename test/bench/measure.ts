/** Measurement of throughput and latency, and comparison of a benchmark with its baseline. */
import autocannon from "autocannon";

export const SECONDS = Number(process.env["BENCH_SECONDS"] ?? 4);
export const ROUNDS = 3;

export interface HttpTarget {
  url: string;
  connections: number;
  headers?: Record<string, string>;
  /** Returns a new body for each POST; without it, requests are GETs. */
  nextBody?: () => string;
}

/** Returns the successful requests per second. Throws if any request fails. */
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

/** Returns the calls per second at a given concurrency. */
export async function callsPerSecond(concurrency: number, call: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  const until = started + SECONDS * 1_000;
  let done = 0;
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (performance.now() < until) {
        await call();
        done++;
      }
    }),
  );
  return done / ((performance.now() - started) / 1_000);
}

export const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;

/** Target of a ratio: a minimum for throughput, a maximum for time and memory, or none. */
export type Target = { atLeast: number } | { atMost: number } | "none";

export interface Benchmark {
  name: string;
  against: string;
  target: Target;
  unit: string;
  /** Prepares the system. Later benchmarks run on the prepared system. */
  prepare?: () => Promise<void>;
  ours: () => Promise<number>;
  theirs: () => Promise<number>;
}

export type Outcome = Pick<Benchmark, "name" | "against" | "target" | "unit"> & Record<"ours" | "theirs" | "ratio", number>;

/** Measures both sides in turn, three times each. The ratio is the median of the rounds' ratios. */
export async function run({ prepare, ours, theirs, ...described }: Benchmark): Promise<Outcome> {
  await prepare?.();
  const rounds: { ours: number; theirs: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push({ ours: await ours(), theirs: await theirs() });
  return {
    ...described,
    ours: median(rounds.map((round) => round.ours)),
    theirs: median(rounds.map((round) => round.theirs)),
    ratio: median(rounds.map((round) => round.ours / round.theirs)),
  };
}

export const isMet = ({ ratio, target }: Outcome): boolean => target === "none" || ("atLeast" in target ? ratio >= target.atLeast : ratio <= target.atMost);

/** Formats the target. */
export const boundOf = ({ target }: Outcome): string => {
  if (target === "none") return "none";
  return "atLeast" in target ? `≥ ${target.atLeast.toFixed(2)}` : `≤ ${target.atMost.toFixed(2)}`;
};

/** Returns the percentile of values for a share between 0 and 1. */
export const percentile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))]!;

/** Returns the median time of sequential calls during one second, at least twenty, after ten warm-up calls. */
export async function medianMs(call: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  const until = performance.now() + 1_000;
  for (let warming = 0; warming < 10; warming++) await call();
  while (times.length < 20 || performance.now() < until) {
    const started = performance.now();
    await call();
    times.push(performance.now() - started);
  }
  return median(times);
}
