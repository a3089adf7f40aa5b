/** Check that a NATS server can be started. It runs before the installation, on the Node of the machine, so that nobody waits for an installation in vain. */
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** Directories of programs on Debian, which the PATH of an ordinary user lacks. */
const SYSTEM_DIRECTORIES = ["/usr/sbin", "/usr/local/sbin"];
export const programDirectories = () => [...(process.env.PATH ?? "").split(delimiter), ...SYSTEM_DIRECTORIES];

const hasProgram = (name, directories) =>
  directories.some((directory) => {
    try {
      accessSync(join(directory, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });

/** Returns a message if there is no nats-server and this user cannot install one; undefined otherwise. */
export function describeMissingNats(directories, isRoot) {
  if (hasProgram("nats-server", directories) || (isRoot && hasProgram("apt-get", directories))) return undefined;
  return "There is no nats-server on the PATH. Install one (Debian: sudo apt-get install nats-server) or set NATS_URL to a server with JetStream.";
}
