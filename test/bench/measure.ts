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

export interface Benchmark {
  name: string;
  against: string;
  atLeast: number;
  /** What must change on the stage before it; the benchmarks after it find it so. */
  prepare?: () => Promise<void>;
  ours: () => Promise<number>;
  theirs: () => Promise<number>;
}

export interface Outcome {
  name: string;
  against: string;
  atLeast: number;
  ours: number;
  theirs: number;
  ratio: number;
}

/** Ours and theirs in turn, three times each; the ratio is the median of the ratios of the rounds. */
export async function run({ name, against, atLeast, ours, theirs }: Benchmark): Promise<Outcome> {
  const rounds: { ours: number; theirs: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push({ ours: await ours(), theirs: await theirs() });
  return {
    name,
    against,
    atLeast,
    ours: median(rounds.map((round) => round.ours)),
    theirs: median(rounds.map((round) => round.theirs)),
    ratio: median(rounds.map((round) => round.ours / round.theirs)),
  };
}
