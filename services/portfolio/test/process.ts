/** Starts additional portfolio processes that tests can kill. They use the database and files of the system under test and reach no other service. */
import { randomBytes } from "node:crypto";
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePorts } from "../../../deploy/system/ports.ts";
import type { Colleague } from "../../../test/support/office.ts";
import { running } from "../../../test/support/running.ts";
import { environment, ledgerAssertions, principalOf } from "./clients.ts";
import { UNREACHABLE_ADDRESS } from "./replica.ts";

/** Starts a process and waits until it is ready. `upload` posts a form with an assertion for the caller, and `kill` returns after the process has exited. */
export async function startPortfolioProcess(caller: Colleague) {
  const [httpPort] = (await freePorts(1)) as [number];
  const child = fork(fileURLToPath(new URL("../src/main.ts", import.meta.url)), {
    execArgv: ["-C", "source"],
    stdio: "ignore",
    env: {
      ...environment(),
      PORTFOLIO_DATABASE_URL: running().databaseUrls.portfolio.service,
      PORTFOLIO_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
      DOCUMENTS_DIR: join(running().dataDir, "documents"),
      HTTP_PORT: String(httpPort),
      GRPC_PORT: "0",
      LEDGER_GRPC: UNREACHABLE_ADDRESS,
      IDENTITY_GRPC: UNREACHABLE_ADDRESS,
      COMMUNICATIONS_GRPC: UNREACHABLE_ADDRESS,
    },
  });
  await Promise.race([
    once(child, "message"),
    once(child, "exit").then(([code]) => Promise.reject(new Error(`The process exited with ${String(code)} before it was ready.`))),
  ]);
  return {
    async upload(path: string, form: FormData): Promise<Response> {
      const assertion = await ledgerAssertions().sign(principalOf(caller));
      return fetch(`http://127.0.0.1:${httpPort}${path}`, { method: "POST", headers: { "x-freehold-scope": assertion }, body: form });
    },
    async kill(): Promise<void> {
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
    },
  };
}
