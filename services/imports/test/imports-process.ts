/** Additional replica of the imports service that a test can kill. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { running } from "../../../test/support/running.ts";

/** Starts a replica on the database and files of the test system; it runs due jobs like any replica. */
export async function startImportsProcess(): Promise<{ kill(): Promise<void> }> {
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
    once(child, "exit").then(([code]) => Promise.reject(new Error(`The process exited with code ${String(code)} before it was ready.`))),
  ]);
  return {
    async kill() {
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
    },
  };
}
