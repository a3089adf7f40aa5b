import { findOnPath } from "./programs.ts";

/**
 * Returns the command of a server that the kernel ends with a signal when the launcher dies, also by SIGKILL: util-linux' setpriv asks for it and
 * becomes the server. Without setpriv, as on macOS, the next start ends a server that was left.
 */
export function endWithLauncher(signal: "SIGINT" | "SIGTERM", [file, ...args]: readonly string[]): { file: string; args: string[] } {
  const setpriv = process.platform === "linux" ? findOnPath(["setpriv"]) : undefined;
  return setpriv === undefined ? { file: file!, args } : { file: setpriv, args: ["--pdeathsig", signal.slice("SIG".length), "--", file!, ...args] };
}
