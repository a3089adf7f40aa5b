/** How fast something goes: requests a second over HTTP, or calls a second in this process. Medians of three. */
import autocannon from "autocannon";

export const SECONDS = Number(process.env["BENCH_SECONDS"] ?? 4);
export const ROUNDS = 3;

export interface HttpTarget {
  url: string;
  connections: number;
  headers?: Record<string, string>;
  /** A new body for each request; without, requests are GETs. */
  nextBody?: () => string;
}

/** Requests a second that were answered 200; anything else fails the benchmark. */
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

/** Calls a second with so many under way at once. */
export async function callsPerSecond(atOnce: number, call: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  const until = started + SECONDS * 1_000;
  let done = 0;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (performance.now() < until) {
        await call();
        done++;
      }
    }),
  );
  return done / ((performance.now() - started) / 1_000);
}

export const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;

/** What a ratio is held against: throughput must reach it, time and memory must stay below it; some only inform. */
export type Target = { atLeast: number } | { atMost: number } | "none";

export interface Benchmark {
  name: string;
  against: string;
  target: Target;
  unit: string;
  /** What must change on the stage before it; the benchmarks after it find it so. */
  prepare?: () => Promise<void>;
  ours: () => Promise<number>;
  theirs: () => Promise<number>;
}

export type Outcome = Pick<Benchmark, "name" | "against" | "target" | "unit"> & Record<"ours" | "theirs" | "ratio", number>;

/** Ours and theirs in turn, three times each; the ratio is the median of the ratios of the rounds. */
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

/** The target as people write it. */
export const boundOf = ({ target }: Outcome): string => {
  if (target === "none") return "none";
  return "atLeast" in target ? `≥ ${target.atLeast.toFixed(2)}` : `≤ ${target.atMost.toFixed(2)}`;
};

/** The value below which so large a share of the values lies. */
export const percentile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))]!;

/** Of calls made one after the other for a second, twenty at least, the time of the one in the middle; the first few are not counted. */
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
