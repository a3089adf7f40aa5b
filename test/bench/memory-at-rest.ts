/** Memory of the whole system at rest, as `npm start` runs it: the proportional set size of the launcher and of each process. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { childrenOf, commandLineOf } from "../../deploy/system/command-line.ts";
import { freePorts } from "../../deploy/system/ports.ts";
import { eventually } from "../support/eventually.ts";
import type { BenchmarkResult } from "./measure.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const LIMIT_MIB = 650;
/** Processes collect the garbage of their start when they have been idle for 30 seconds, and the demo keeps them busy at first. */
const REST_MS = 100_000;
const START_TIMEOUT_MS = 300_000;
const BARE_PROCESS = "setInterval(() => undefined, 1_000)";

/** Returns the proportional set size of a process in MiB: its own pages, and its share of the pages that it has in common with others. */
const proportionalSetMib = (pid: number): number => Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))![1]) / 1_024;

/** Measures the system with its demo organization, after it has rested. PostgreSQL and NATS are not part of it. */
export async function memory(log: (text: string) => void, onResult: (result: BenchmarkResult) => void): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), "freehold-bench-"));
  const [port] = await freePorts(1);
  const launcher = spawn("npm", ["start"], { cwd: root, env: { ...process.env, DATA_DIR: dataDir, PORT: String(port) }, stdio: ["ignore", "pipe", "inherit"] });
  const bare = spawn(process.execPath, ["-e", BARE_PROCESS], { stdio: "ignore" });
  let output = "";
  launcher.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const launcherPid = () => Number(readFileSync(join(dataDir, "launcher.pid"), "utf8"));
  try {
    await eventually("ready system", () => output.includes("Freehold is ready"), START_TIMEOUT_MS);
    log(`The system rests for ${REST_MS / 1_000} s.`);
    await sleep(REST_MS);
    const bareMib = proportionalSetMib(bare.pid!);
    const processes = [launcherPid(), ...childrenOf(launcherPid())]
      .map((pid) => ({ pid, name: /^freehold-(\w+)/.exec(commandLineOf(pid))?.[1] }))
      .flatMap(({ pid, name }) => (name === undefined ? [] : [{ name, mib: proportionalSetMib(pid) }]));
    const sum = processes.reduce((total, { mib }) => total + mib, 0);
    const report = (name: string, against: string, ours: number, theirs: number, target: BenchmarkResult["target"]) =>
      onResult({ name, against, target, unit: "MiB", ours, theirs, ratio: ours / theirs });
    for (const { name, mib } of processes) report(name, "a bare Node.js process", mib, bareMib, "none");
    report(`the ${processes.length} processes together`, `${LIMIT_MIB} MiB`, sum, LIMIT_MIB, { atMost: 1 });
  } finally {
    bare.kill();
    const exited = once(launcher, "exit");
    process.kill(launcherPid(), "SIGTERM");
    await exited;
    rmSync(dataDir, { recursive: true, force: true });
  }
}
