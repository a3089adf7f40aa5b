import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** Returns the processes that a process has started and that it has not waited for. Linux only. */
export const childrenOf = (pid: number): number[] => readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").map(Number);

/** Returns the command line of a process. macOS has no `/proc`, and small Linux images have no `ps`. */
export function commandLineOf(pid: number): string {
  if (process.platform === "linux") return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  return spawnSync("ps", ["-ww", "-o", "command=", "-p", String(pid)], { encoding: "utf8" }).stdout;
}
