/** An imports process beside the system's own, on the same database and files, that a test can kill at any moment. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { running } from "../../../test/running.ts";

/** Starts it; it takes the work that is due as every replica does. */
export async function aProcess(): Promise<{ kill(): Promise<void> }> {
  const child = fork(fileURLToPath(new URL("../src/main.ts", import.meta.url)), {
    execArgv: ["-C", "source"],
    stdio: "ignore",
    env: {
      ...running().ledgerEnvironment,
      IMPORTS_DATABASE_URL: running().databaseUrls.imports.service,
      IMPORTS_DIR: join(running().dataDir, "imports"),
      LEDGER_GRPC: "127.0.0.1:9",
      HTTP_PORT: "0",
      GRPC_PORT: "0",
    },
  });
  await Promise.race([
    once(child, "message"),
    once(child, "exit").then(([code]) => Promise.reject(new Error(`The process ended with ${String(code)} before it was ready.`))),
  ]);
  return {
    async kill() {
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    },
  };
}
