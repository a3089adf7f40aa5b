/** Memory measurements of processes after a forced garbage collection. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { ProcessName } from "../../deploy/system/secrets.ts";
import type { SystemOptions } from "../../deploy/system/system.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const collector = new URL("processes/collect-garbage.ts", import.meta.url).href;

/** Runs every process from its sources; the measured ones collect garbage on SIGUSR2. */
export const withGarbageCollection =
  (...measured: readonly ProcessName[]): NonNullable<SystemOptions["programOf"]> =>
  (name) => {
    const main = join(root, name === "gateway" ? "gateway/src/main.ts" : `services/${name}/src/main.ts`);
    return { args: ["-C", "source", ...(measured.includes(name) ? ["--expose-gc", "--import", collector] : []), main], cwd: root };
  };

/** Returns the resident set size of a process in KiB. */
export const rssOf = (pid: number): number => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]);

/** Returns the resident set size of a process after garbage collection, in KiB. */
export async function settledRss(pid: number): Promise<number> {
  for (let times = 0; times < 2; times++) {
    process.kill(pid, "SIGUSR2");
    await sleep(1_500);
  }
  return rssOf(pid);
}
