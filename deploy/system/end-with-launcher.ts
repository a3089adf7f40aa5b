import { spawnSync } from "node:child_process";
import { findOnPath } from "./programs.ts";

const DEATH_SIGNAL = "--pdeathsig";

/** Returns setpriv of util-linux, or undefined. The setpriv of BusyBox and of early versions does not know the option. */
function findSetpriv(): string | undefined {
  const setpriv = process.platform === "linux" ? findOnPath(["setpriv"]) : undefined;
  return setpriv !== undefined && spawnSync(setpriv, [DEATH_SIGNAL, "TERM", "--", "true"]).status === 0 ? setpriv : undefined;
}

/**
 * Returns the command of a server that the kernel ends with a signal when the launcher dies, also by SIGKILL: util-linux' setpriv asks for it and
 * becomes the server. Without it, as on macOS, the next start ends a server that was left.
 */
export function endWithLauncher(signal: "SIGINT" | "SIGTERM", [file, ...args]: readonly string[]): { file: string; args: string[] } {
  const setpriv = findSetpriv();
  return setpriv === undefined ? { file: file!, args } : { file: setpriv, args: [DEATH_SIGNAL, signal.slice("SIG".length), "--", file!, ...args] };
}
