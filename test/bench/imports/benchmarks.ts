/** Import of a portfolio through the services, against COPY of the same rows and against a bundle ten times as large. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { countRows, largePortfolio } from "../../../services/imports/test/large-portfolio.ts";
import { prepareBundle, type Sheets, writeBundle } from "../../../services/imports/test/writing.ts";
import { anOffice } from "../../support/office.ts";
import { residentSetAfterGcKib, withForcedGc } from "../memory.ts";
import { median, type BenchmarkResult, ROUNDS } from "../measure.ts";
import { startBenchSystem, type BenchSystem } from "../bench-system.ts";

const ROWS = Number(process.env["BENCH_IMPORT_ROWS"] ?? 20_000);
const TIMEOUT_MS = 3_600_000;
const LIMIT_MIB = 64;

/** Imports a bundle; returns the seconds from the validation request to the last write, and the memory growth in MiB. */
async function importBundle({ system }: BenchSystem, sheets: Sheets): Promise<{ seconds: number; growthMib: number }> {
  const office = await anOffice(system.baseUrl);
  const pid = system.children.get("imports")!.pid!;
  const before = await residentSetAfterGcKib(pid);
  const started = performance.now();
  const bundle = await prepareBundle(office, sheets, TIMEOUT_MS);
  const written = await writeBundle(office, bundle.id, TIMEOUT_MS);
  const seconds = (performance.now() - started) / 1_000;
  if (written.status !== "completed") throw new Error(`The bundle is ${written.status}: ${JSON.stringify(written.counts)}`);
  return { seconds, growthMib: ((await residentSetAfterGcKib(pid)) - before) / 1_024 };
}

/** Copies the same rows into a table of text columns; returns the seconds that PostgreSQL takes. */
async function copyRows({ system, dataDir }: BenchSystem, sheets: Sheets): Promise<number> {
  const file = join(dataDir, "rows.csv");
  const rows = Object.entries(sheets).flatMap(([name, [, ...lines]]) =>
    lines.map((line) => [name, ...line.split(","), ...Array<string>(8)].slice(0, 9).join(",")),
  );
  writeFileSync(file, `${rows.join("\n")}\n`, { mode: 0o644 });
  const client = new pg.Client({ connectionString: system.adminUrl! });
  await client.connect();
  await client.query("drop table if exists copied; create table copied (sheet text, a text, b text, c text, d text, e text, f text, g text, h text)");
  const started = performance.now();
  await client.query(`copy copied from '${file}' (format csv)`);
  const seconds = (performance.now() - started) / 1_000;
  await client.end();
  return seconds;
}

/** Runs the import benchmarks on their own system. */
export async function imports(log: (text: string) => void, onResult: (result: BenchmarkResult) => void): Promise<void> {
  const bench = await startBenchSystem(log, { programOf: withForcedGc("imports") });
  try {
    const [small, large] = [largePortfolio(ROWS), largePortfolio(10 * ROWS)];
    const [smallRows, largeRows] = [countRows(small), countRows(large)];
    await importBundle(bench, largePortfolio(ROWS / 10));
    const rounds: { ours: number; theirs: number }[] = [];
    while (rounds.length < ROUNDS)
      rounds.push({ ours: smallRows / (await importBundle(bench, small)).seconds, theirs: smallRows / (await copyRows(bench, small)) });
    const [ours, theirs] = [median(rounds.map((round) => round.ours)), median(rounds.map((round) => round.theirs))];
    const ratio = median(rounds.map((round) => round.ours / round.theirs));
    onResult({
      name: `a bundle of ${smallRows} rows, validated and written through the services`,
      against: "COPY of the same rows into one table",
      target: { atLeast: 0.15 },
      unit: "/s",
      ours,
      theirs,
      ratio,
    });
    const { seconds, growthMib } = await importBundle(bench, large);
    const [largeCost, smallCost] = [(1_000 * seconds) / largeRows, 1_000 / ours];
    onResult({
      name: `time per row in a bundle of ${largeRows} rows`,
      against: `time per row in a bundle of ${smallRows} rows`,
      target: { atMost: 1.2 },
      unit: "ms",
      ours: largeCost,
      theirs: smallCost,
      ratio: largeCost / smallCost,
    });
    const memory = { unit: "MiB", ours: growthMib, theirs: LIMIT_MIB, ratio: growthMib / LIMIT_MIB };
    onResult({ name: `memory that the imports service keeps after ${largeRows} rows`, against: `${LIMIT_MIB} MiB`, target: { atMost: 1 }, ...memory });
  } finally {
    await bench.end();
  }
}
