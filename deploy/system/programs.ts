/** Programs of the machine, such as nats-server. */
import { spawnSync } from "node:child_process";

const PATH = `${process.env["PATH"] ?? ""}:/usr/sbin:/usr/local/sbin`;

/** Returns the path of the first of the programs that is on the PATH. */
export const findOnPath = (names: readonly string[]): string | undefined =>
  spawnSync("sh", ["-c", names.map((name) => `command -v ${name}`).join(" || ")], { encoding: "utf8", env: { ...process.env, PATH } }).stdout.trim() ||
  undefined;

export interface ProgramOptions {
  /** Names of the program; by default that of the package. */
  names?: readonly string[];
  /** Alternative to an installation, in the words of the error message. */
  alternative?: string;
  say?: (progress: string) => void;
}

/** Returns the path of a program. Installs its Debian package if none is on the PATH and the process runs as root. Throws if there is none then. */
export function findProgram(debianPackage: string, { names = [debianPackage], alternative, say }: ProgramOptions = {}): string {
  const found = findOnPath(names);
  if (found) return found;
  if (process.getuid?.() === 0 && findOnPath(["apt-get"])) {
    say?.(`Installing Debian's ${debianPackage} …`);
    // Another process may be installing a program, too.
    const apt = (...args: string[]) =>
      spawnSync("apt-get", ["-o", "DPkg::Lock::Timeout=600", ...args], { env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } });
    const install = () => apt("install", "-y", "-q", "--no-install-recommends", debianPackage);
    if (install().status !== 0) {
      apt("update", "-q");
      install();
    }
    const installed = findOnPath(names);
    if (installed) return installed;
  }
  throw new Error(
    `There is no ${names[0]} on the PATH. Install one (Debian: sudo apt-get install ${debianPackage})${alternative === undefined ? "" : ` or ${alternative}`}.`,
  );
}
