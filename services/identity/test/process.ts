/** Another replica of identity beside the running system's, with settings of its own. */
import { fork } from "node:child_process";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { Client } from "../../../test/support/client.ts";
import { running } from "../../../test/support/running.ts";

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address ? address.port : 0;
}

/** It is asked directly, as the gateway would; what it assertions nobody believes, for it has no key of identity's. */
export async function startIdentity(settings: Record<string, string>): Promise<{ client: Client; stop(): Promise<void> }> {
  const { ledgerEnvironment, databaseUrls } = running();
  const port = await freePort();
  const child = fork(fileURLToPath(new URL("../src/main.ts", import.meta.url)), [], {
    execArgv: ["-C", "source"],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    env: {
      ...ledgerEnvironment,
      IDENTITY_DATABASE_URL: databaseUrls.identity.service,
      HTTP_PORT: String(port),
      GRPC_PORT: "0",
      LOG_LEVEL: "silent",
      ...settings,
    },
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  await Promise.race([
    new Promise((resolve) => child.once("message", resolve)),
    ended.then(() => {
      throw new Error("The replica ended before it was ready.");
    }),
  ]);
  return {
    client: new Client(`http://127.0.0.1:${port}`),
    stop: async () => {
      child.kill("SIGTERM");
      await ended;
    },
  };
}
