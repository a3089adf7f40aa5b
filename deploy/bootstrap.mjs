/**
 * Runs before each npm command: installs the dependencies, including the pinned Node, if the lockfile has changed since the last
 * installation. Runs on the Node of the machine, from version 20 on, so it uses no newer features. Prints to standard error only,
 * since the output of some commands is redirected to a file.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describeMissingNats, programDirectories } from "./nats-server.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const stampFile = join(root, "node_modules", ".installed");
const lockHash = createHash("sha256")
  .update(readFileSync(join(root, "pnpm-lock.yaml")))
  .update(process.arch)
  .digest("hex");
const command = (process.env.npm_lifecycle_event ?? "").replace(/^pre/, "");

/** Commands for a running system, whose dependencies they must not replace: they install only missing ones. */
const commandsBesideSystem = ["backup", "restore", "export", "dead-letters", "database-url", "webhook"];
const isUpToDate = () => commandsBesideSystem.includes(command) || (existsSync(stampFile) && readFileSync(stampFile, "utf8") === lockHash);
const isInstalled = existsSync(join(root, "node_modules", "node", "bin", "node")) && isUpToDate();

/** Commands that start NATS servers; `npm start` only without external ones. */
const commandsWithNats = ["start", "test", "prove", "test:dates", "bench", "attack", "soak", "fuzz", "faults"];
const hasExternalNats = command === "start" && Boolean(process.env.NATS_URL || process.env.NATS_URL_FILE);
const startsNats = commandsWithNats.includes(command) && !hasExternalNats;
// Fails before the installation if NATS can be neither found nor installed.
const problem = isInstalled || !startsNats ? undefined : describeMissingNats(programDirectories(), process.getuid?.() === 0);
if (problem) {
  process.stderr.write(`${problem}\n`);
  process.exit(1);
}

if (!isInstalled) {
  process.stderr.write("Installing dependencies (about half a minute the first time) …\n");
  const npx = process.platform === "win32" ? "npx.cmd" : "npx";
  const install = spawnSync(npx, ["-y", "pnpm@10.34.8", "install", "--frozen-lockfile", "--prefer-offline", "--reporter=append-only"], {
    cwd: root,
    stdio: ["inherit", process.stderr.fd, "inherit"],
    env: { ...process.env, CI: "true" },
  });
  if (install.status !== 0) {
    process.stderr.write("The dependencies could not be installed. Check that the npm registry can be reached, then run the command again.\n");
    process.exit(1);
  }
  writeFileSync(stampFile, lockHash);
}
