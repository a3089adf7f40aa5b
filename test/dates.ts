/**
 * `npm run test:dates [-- <file> …]`: the tests with the clock of every process shifted to dates at which calendars turn, so
 * that no test depends on the day it runs. Debian's libfaketime shifts the processes; the machine's clock stays as it is.
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

/** The first of a month and of a year, the last of February, a leap day, and a minute before a month ends in New York. */
const instants = ["2026-12-01T17:00:00Z", "2027-01-01T17:00:00Z", "2027-02-28T17:00:00Z", "2028-02-29T17:00:00Z", "2027-05-01T03:59:00Z"];
const library = `/usr/lib/${process.arch === "arm64" ? "aarch64" : "x86_64"}-linux-gnu/faketime/libfaketimeMT.so.1`;
const print = (text: string) => process.stdout.write(`${text}\n`);

if (!existsSync(library)) spawnSync("apt-get", ["install", "-y", "faketime"], { stdio: "inherit" });
if (!existsSync(library)) {
  print("libfaketime is missing. Install Debian's package faketime, then run the command again.");
  process.exit(1);
}

async function runAt(instant: string): Promise<boolean> {
  const offsetSeconds = Math.round((Date.parse(instant) - Date.now()) / 1000);
  const faketime = { LD_PRELOAD: library, FAKETIME: `${offsetSeconds < 0 ? "" : "+"}${offsetSeconds}`, FAKETIME_DONT_FAKE_MONOTONIC: "1" };
  const run = spawn(process.execPath, ["-C", "source", "test/run.ts", ...process.argv.slice(2)], { env: { ...process.env, ...faketime }, stdio: "inherit" });
  return (await new Promise<number | null>((resolve) => run.once("close", resolve))) === 0;
}

const failed: string[] = [];
for (const instant of instants) {
  print(`\n=== ${instant}`);
  if (!(await runAt(instant))) failed.push(instant);
}
print(failed.length === 0 ? `All tests passed at ${instants.length} dates.` : `Tests failed at ${failed.join(", ")}.`);
process.exit(failed.length === 0 ? 0 : 1);
