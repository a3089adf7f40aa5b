/** Processes whose memory is measured: told to collect their garbage, so that what is left is what they hold. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { ProcessName } from "../../deploy/system/secrets.ts";
import type { SystemOptions } from "../../deploy/system/system.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const collector = new URL("processes/collect-garbage.ts", import.meta.url).href;

/** Every process from its sources as usual; these also collect their garbage when they are told to. */
export const withGarbageCollection =
  (...measured: readonly ProcessName[]): NonNullable<SystemOptions["programOf"]> =>
  (name) => {
    const main = join(root, name === "gateway" ? "gateway/src/main.ts" : `services/${name}/src/main.ts`);
    return { args: ["-C", "source", ...(measured.includes(name) ? ["--expose-gc", "--import", collector] : []), main], cwd: root };
  };

/** What a process holds in memory right now, in KiB. */
export const rssOf = (pid: number): number => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]);

/** What a process holds once it has collected its garbage, in KiB. */
export async function settledRss(pid: number): Promise<number> {
  for (let times = 0; times < 2; times++) {
    process.kill(pid, "SIGUSR2");
    await sleep(1_500);
  }
  return rssOf(pid);
}
