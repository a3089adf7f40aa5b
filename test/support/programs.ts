/** Programs of the machine that tests run, such as a browser. */
import { spawnSync } from "node:child_process";

const findOnPath = (names: readonly string[]): string | undefined =>
  spawnSync("sh", ["-c", names.map((name) => `command -v ${name}`).join(" || ")], { encoding: "utf8" }).stdout.trim() || undefined;

/** Returns the path of a program. Installs Debian's package if no program of the names is on the PATH and the process runs as root, like the tests' nats-server. */
export function findProgram(debianPackage: string, names: readonly string[] = [debianPackage]): string {
  const found = findOnPath(names);
  if (found) return found;
  if (process.getuid?.() === 0) {
    const apt = (...args: string[]) => spawnSync("apt-get", args, { env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } });
    const install = () => apt("install", "-y", "-q", "--no-install-recommends", debianPackage);
    if (install().status !== 0) {
      apt("update", "-q");
      install();
    }
    const installed = findOnPath(names);
    if (installed) return installed;
  }
  throw new Error(`There is no ${names[0]} on the PATH. Install one (Debian: sudo apt-get install ${debianPackage}).`);
}
