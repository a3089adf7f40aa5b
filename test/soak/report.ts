/** Report of a soak test: unexpected responses, times, and the resources that are not level. */
import { median, percentile } from "../bench/measure.ts";
import type { Sample } from "./resources.ts";
import type { Outcome } from "./traffic.ts";

interface Findings {
  outcomes: readonly Outcome[];
  samples: readonly Sample[];
  /** Sizes of the tables at the start, in the middle and at the end. */
  tables: readonly Map<string, number>[];
  print: (line: string) => void;
}

/** A resource is level if the last third of the run exceeds the second third by no more than the larger of these. */
const MAX_GROWTH_SHARE = 0.05;
const MAX_MEMORY_GROWTH_MIB = 16;
const MAX_COUNT_GROWTH = 5;
/** Growth of a table that does not count: pages and indexes are allocated in steps. */
const MAX_TABLE_GROWTH_BYTES = 2_097_152;
const MAX_TABLE_ACCELERATION = 1.25;
const MIB = 1_048_576;

/** Returns a statistic of the second and of the last third of the samples. */
function thirds(samples: readonly Sample[], valueOf: (sample: Sample) => number, statistic: (values: number[]) => number): [number, number] {
  const third = Math.floor(samples.length / 3);
  return [statistic(samples.slice(third, 2 * third).map(valueOf)), statistic(samples.slice(2 * third).map(valueOf))];
}

/** Statistic of files and connections: a leaked one stays open, so the fewest open ones rise, while those of requests in progress come and go. */
const fewest = (values: number[]): number => Math.min(...values);

const grows = ([before, after]: [number, number], tolerance: number) => after - before > Math.max(tolerance, before * MAX_GROWTH_SHARE);

function compareResources({ samples, print }: Findings): string[] {
  const names = Object.keys(samples[0]!.memoryMib);
  const violations: string[] = [];
  const compare = (name: string, unit: string, valueOf: (sample: Sample) => number) => {
    const isMemory = unit === "MiB";
    const values = thirds(samples, valueOf, isMemory ? median : fewest);
    const [before, after] = values.map((value) => value.toFixed(0));
    print(`  ${isMemory ? "" : "fewest "}${name}: ${valueOf(samples[0]!).toFixed(0)} → ${before} → ${after} ${unit} (start, second third, last third)`);
    if (grows(values, isMemory ? MAX_MEMORY_GROWTH_MIB : MAX_COUNT_GROWTH)) violations.push(`${name} grew from ${before} to ${after} ${unit}.`);
  };
  for (const name of names) compare(`memory of ${name}`, "MiB", ({ memoryMib }) => memoryMib[name]!);
  for (const name of names) compare(`open files of ${name}`, "files", ({ openFiles }) => openFiles[name]!);
  compare("database connections", "connections", ({ databaseConnections }) => databaseConnections);
  return violations;
}

/** Tables grow with the records that are written at a constant rate, so none may grow faster in the second half than in the first. */
function compareTables({ tables: [start, middle, end], print }: Findings): string[] {
  const violations: string[] = [];
  for (const [name, bytes] of [...end!].toSorted(([, one], [, other]) => other - one)) {
    const [first, second] = [middle!.get(name)! - start!.get(name)!, bytes - middle!.get(name)!];
    if (first + second < MAX_TABLE_GROWTH_BYTES) continue;
    print(
      `  table ${name}: ${(start!.get(name)! / MIB).toFixed(1)} MiB, + ${(first / MIB).toFixed(1)} in the first half, + ${(second / MIB).toFixed(1)} in the second`,
    );
    if (second > first * MAX_TABLE_ACCELERATION + MAX_TABLE_GROWTH_BYTES) violations.push(`${name} grew faster in the second half.`);
  }
  return violations;
}

/** Prints the report, last a line of `name=value` pairs. Returns whether everything was as expected. */
export function report(findings: Findings): boolean {
  const { outcomes, samples, print } = findings;
  const unexpected = outcomes.filter(({ unexpected }) => unexpected !== undefined);
  for (const { name, unexpected: response } of unexpected.slice(0, 40)) print(`Unexpected response to ${name}: ${response}`);
  const honest = outcomes.filter(({ name, milliseconds }) => !name.startsWith("hostile: ") && milliseconds > 0).map(({ milliseconds }) => milliseconds);
  const violations = [...compareResources(findings), ...compareTables(findings)];
  for (const violation of violations) print(violation);
  const hostile = outcomes.filter(({ name }) => name.startsWith("hostile: ")).length;
  const times = [0.5, 0.95, 0.99].map((share) => `p${share * 100}=${percentile(honest, share).toFixed(0)}ms`);
  print(
    `soak=${(samples.at(-1)!.seconds / 60).toFixed(0)}min actions=${outcomes.length} hostile=${hostile} unexpected=${unexpected.length} notLevel=${violations.length} ${times.join(" ")}`,
  );
  return unexpected.length + violations.length === 0;
}
