/** Memory measurements of processes, with forced garbage collection. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { ProcessName } from "../../deploy/system/secrets.ts";
import type { SystemOptions } from "../../deploy/system/system.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const collector = new URL("processes/collect-garbage.ts", import.meta.url).href;

/** Runs the system from source, with garbage collection on SIGUSR2 in the given processes. */
export const withForcedGc =
  (...measured: readonly ProcessName[]): NonNullable<SystemOptions["programOf"]> =>
  (name) => {
    const main = join(root, name === "gateway" ? "gateway/src/main.ts" : `services/${name}/src/main.ts`);
    return { args: ["-C", "source", ...(measured.includes(name) ? ["--expose-gc", "--import", collector] : []), main], cwd: root };
  };

/** Returns the current resident set size of a process in KiB. */
export const residentSetKib = (pid: number): number => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]);

/** Returns the resident set size of a process in KiB after forced garbage collection. */
export async function residentSetAfterGcKib(pid: number): Promise<number> {
  for (let collection = 0; collection < 2; collection++) {
    process.kill(pid, "SIGUSR2");
    await sleep(1_500);
  }
  return residentSetKib(pid);
}

const SAMPLE_INTERVAL_MS = 20;

/** Returns the peak growth of each process's resident set during the work, in MiB. */
export async function growthDuring(pids: readonly number[], work: () => Promise<void>): Promise<number[]> {
  const before = await Promise.all(pids.map(residentSetAfterGcKib));
  const peak = [...before];
  const sampling = setInterval(() => pids.forEach((pid, index) => (peak[index] = Math.max(peak[index]!, residentSetKib(pid)))), SAMPLE_INTERVAL_MS);
  await work().finally(() => clearInterval(sampling));
  return peak.map((kib, index) => (kib - before[index]!) / 1_024);
}
