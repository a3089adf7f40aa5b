/** A portfolio that is imported through the services, beside the same rows copied into one table; and what ten times as many cost. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { countRows, largePortfolio } from "../../../services/imports/test/large-portfolio.ts";
import { prepareBundle, type Sheets, writeBundle } from "../../../services/imports/test/writing.ts";
import { anOffice } from "../../support/office.ts";
import { settledRss, withGarbageCollection } from "../garbage.ts";
import { median, type Outcome, ROUNDS } from "../measure.ts";
import { setStage, type Stage } from "../stage.ts";

const ROWS = Number(process.env["BENCH_IMPORT_ROWS"] ?? 20_000);
const LONGEST_MS = 3_600_000;
const LIMIT_MIB = 64;

/** Seconds from the request to validate a bundle until all of it is written, and memory before and after. */
async function importing({ system }: Stage, sheets: Sheets): Promise<{ seconds: number; grownMib: number }> {
  const office = await anOffice(system.baseUrl);
  const pid = system.children.get("imports")!.pid!;
  const before = await settledRss(pid);
  const started = performance.now();
  const bundle = await prepareBundle(office, sheets, LONGEST_MS);
  const done = await writeBundle(office, bundle.id, LONGEST_MS);
  const seconds = (performance.now() - started) / 1_000;
  if (done.status !== "completed") throw new Error(`The bundle is ${done.status}: ${JSON.stringify(done.counts)}`);
  return { seconds, grownMib: ((await settledRss(pid)) - before) / 1_024 };
}

/** Seconds that PostgreSQL takes to copy the same rows into a table of texts. */
async function copying({ system, dataDir }: Stage, sheets: Sheets): Promise<number> {
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

/** The benchmarks of imports, on a stage of their own. */
export async function imports(say: (text: string) => void, done: (outcome: Outcome) => void): Promise<void> {
  const stage = await setStage(say, { programOf: withGarbageCollection("imports") });
  try {
    const [few, many] = [largePortfolio(ROWS), largePortfolio(10 * ROWS)];
    const [fewRows, manyRows] = [countRows(few), countRows(many)];
    await importing(stage, largePortfolio(ROWS / 10));
    const rounds: { ours: number; theirs: number }[] = [];
    while (rounds.length < ROUNDS) rounds.push({ ours: fewRows / (await importing(stage, few)).seconds, theirs: fewRows / (await copying(stage, few)) });
    const [ours, theirs] = [median(rounds.map((round) => round.ours)), median(rounds.map((round) => round.theirs))];
    const ratio = median(rounds.map((round) => round.ours / round.theirs));
    done({
      name: `a bundle of ${fewRows} rows, validated and written through the services`,
      against: "COPY of the same rows into one table",
      target: { atLeast: 0.15 },
      unit: "/s",
      ours,
      theirs,
      ratio,
    });
    const { seconds, grownMib } = await importing(stage, many);
    const [cost, before] = [(1_000 * seconds) / manyRows, 1_000 / ours];
    done({
      name: `a row among ${manyRows}`,
      against: `a row among ${fewRows}`,
      target: { atMost: 1.2 },
      unit: "ms",
      ours: cost,
      theirs: before,
      ratio: cost / before,
    });
    const memory = { unit: "MiB", ours: grownMib, theirs: LIMIT_MIB, ratio: grownMib / LIMIT_MIB };
    done({ name: `memory that the imports service keeps after ${manyRows} rows`, against: `${LIMIT_MIB} MiB`, target: { atMost: 1 }, ...memory });
  } finally {
    await stage.end();
  }
}
