/**
 * `npm run test:dates [-- <file> …]`: runs the tests with the clock of every process shifted to dates around the ends of months
 * and years, so that no test depends on the current date. A preloaded library shifts the clocks of the processes only.
 */
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * The first of a month and of a year, the last of February, a leap day, a minute before a month ends in New York, and the
 * evening of such a day, when the next month has begun in UTC.
 */
const instants = [
  "2026-12-01T17:00:00Z",
  "2027-01-01T17:00:00Z",
  "2027-02-28T17:00:00Z",
  "2028-02-29T17:00:00Z",
  "2027-05-01T03:59:00Z",
  "2027-05-01T02:00:00Z",
];
const print = (text: string) => process.stdout.write(`${text}\n`);
const buildDir = mkdtempSync(join(tmpdir(), "freehold-dates-"));
const library = join(buildDir, "shift-clock.so");

function compileLibrary(): void {
  const source = fileURLToPath(new URL("shift-clock.c", import.meta.url));
  const { status, error, stderr } = spawnSync("cc", ["-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], { encoding: "utf8" });
  if (status === 0) return;
  print(`The library that shifts clocks could not be compiled. Install a C compiler (Debian's package gcc). ${error?.message ?? stderr}`);
  process.exit(1);
}

async function runAt(instant: string): Promise<boolean> {
  const shiftSeconds = Math.round((Date.parse(instant) - Date.now()) / 1000);
  const run = spawn(process.execPath, ["-C", "source", "test/run.ts", ...process.argv.slice(2)], {
    env: { ...process.env, LD_PRELOAD: library, CLOCK_SHIFT_SECONDS: String(shiftSeconds) },
    stdio: "inherit",
  });
  return (await new Promise<number | null>((resolve) => run.once("close", resolve))) === 0;
}

compileLibrary();
const failed: string[] = [];
for (const instant of instants) {
  print(`\n=== ${instant}`);
  if (!(await runAt(instant))) failed.push(instant);
}
rmSync(buildDir, { recursive: true });
print(failed.length === 0 ? `All tests passed at ${instants.length} dates.` : `Tests failed at ${failed.join(", ")}.`);
process.exit(failed.length === 0 ? 0 : 1);
