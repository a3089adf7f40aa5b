import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "../../test/support/eventually.ts";
import { supervise } from "./supervise.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "freehold-supervise-"));
});
afterEach(() => {
  rmSync(dir, { recursive: true });
});

test("a restart during the delay after a crash starts the child only once", async () => {
  const logFile = join(dir, "child.log");
  const script = 'process.stdout.write("started " + process.pid + "\\n"); setInterval(() => undefined, 1_000_000);';
  const options = { name: "child", file: process.execPath, args: ["-e", script], env: {}, cwd: dir, stopSignal: "SIGTERM" as const };
  const child = supervise(options, logFile, () => undefined);
  const readLog = () => (existsSync(logFile) ? readFileSync(logFile, "utf8") : "");
  const startedPids = () => [...readLog().matchAll(/^started (\d+)$/gm)].map(([, pid]) => Number(pid));
  const runningPids = () => startedPids().filter(isAlive);
  const waitUntilStarted = () => eventually("start", () => Promise.resolve(startedPids().at(-1) === child.pid));
  try {
    await waitUntilStarted();
    process.kill(child.pid!, "SIGKILL");
    await eventually("crash", () => Promise.resolve(readLog().includes("ended (SIGKILL)")));
    await child.restart();
    // The delay grows with each crash, so a start still pending from the first crash would precede the restarts awaited here.
    for (let crashes = 0; crashes < 2; crashes++) {
      await waitUntilStarted();
      const crashed = child.pid!;
      process.kill(crashed, "SIGKILL");
      await eventually("next start", () => Promise.resolve(child.pid !== crashed));
    }
    await waitUntilStarted();
    expect(runningPids()).toEqual([child.pid]);
  } finally {
    await child.stop();
    for (const pid of runningPids()) process.kill(pid, "SIGKILL");
  }
});

test("a log is readable by its owner only, even if others could read it before the start", async () => {
  const logs = join(dir, "logs");
  const logFile = join(logs, "child.log");
  mkdirSync(logs, { mode: 0o755 });
  writeFileSync(logFile, "earlier\n", { mode: 0o644 });
  const options = { name: "child", file: process.execPath, args: ["-e", 'console.log("later")'], env: {}, cwd: dir, stopSignal: "SIGTERM" as const };
  const child = supervise(options, logFile, () => undefined);
  try {
    await eventually("output", () => readFileSync(logFile, "utf8").includes("later"));
    expect([logs, logFile].map((path) => (statSync(path).mode & 0o777).toString(8))).toEqual(["700", "600"]);
    expect(readFileSync(logFile, "utf8")).toMatch(/^earlier\n/);
  } finally {
    await child.stop();
  }
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
