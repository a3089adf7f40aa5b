/** A portfolio process beside the system's own, on the same database and files, that a test can kill at any moment. */
import { randomBytes } from "node:crypto";
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePorts } from "../../../deploy/system/ports.ts";
import type { Colleague } from "../../../test/office.ts";
import { running } from "../../../test/running.ts";
import { environment, ledgerAssertions, principalOf } from "./behind.ts";

const NOWHERE = "127.0.0.1:9";

/** Starts it; requests come as the gateway would send them. */
export async function aProcess(office: Colleague) {
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
      LEDGER_GRPC: NOWHERE,
      IDENTITY_GRPC: NOWHERE,
      COMMUNICATIONS_GRPC: NOWHERE,
    },
  });
  await Promise.race([
    once(child, "message"),
    once(child, "exit").then(([code]) => Promise.reject(new Error(`The process ended with ${String(code)} before it was ready.`))),
  ]);
  return {
    async send(path: string, form: FormData): Promise<Response> {
      const scope = await ledgerAssertions().sign(principalOf(office));
      return fetch(`http://127.0.0.1:${httpPort}${path}`, { method: "POST", headers: { "x-freehold-scope": scope }, body: form });
    },
    async kill(): Promise<void> {
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    },
  };
}
