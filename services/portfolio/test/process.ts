/** Starts additional portfolio processes that tests can kill. They use the database and files of the system under test and reach no other service. */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Colleague } from "../../../test/support/office.ts";
import { running } from "../../../test/support/running.ts";
import { startServiceProcess, UNREACHABLE_ADDRESS } from "../../../test/support/service-process.ts";
import { gatewayAssertions, principalOf } from "./clients.ts";

/** Starts a process. `upload` posts a form with an assertion for the caller, and `kill` returns after the process has exited. */
export async function startPortfolioProcess(caller: Colleague, settings: Record<string, string> = {}) {
  const { baseUrl, end } = await startServiceProcess("portfolio", {
    PORTFOLIO_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
    DOCUMENTS_DIR: join(running().dataDir, "documents"),
    LEDGER_GRPC: UNREACHABLE_ADDRESS,
    IDENTITY_GRPC: UNREACHABLE_ADDRESS,
    COMMUNICATIONS_GRPC: UNREACHABLE_ADDRESS,
    ...settings,
  });
  const headers = async () => ({ "x-freehold-scope": await gatewayAssertions().sign({ principal: principalOf(caller) }) });
  return {
    baseUrl,
    headers,
    upload: async (path: string, form: FormData): Promise<Response> => fetch(`${baseUrl}${path}`, { method: "POST", headers: await headers(), body: form }),
    kill: () => end("SIGKILL"),
  };
}
