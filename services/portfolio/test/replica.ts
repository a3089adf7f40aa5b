/** Additional replicas of portfolio, for tests of its behaviour while other services are unavailable. */
import type { Database } from "@freehold/kit/db/org-db";
import { unavailable } from "@freehold/kit/errors";
import { grpcService, startGrpcServer, type GrpcHandlers } from "@freehold/kit/rpc/grpc";
import { createLogger } from "@freehold/kit/observability/log";
import { noMetrics } from "@freehold/kit/observability/metrics";
import { LedgerServiceService, type LedgerServiceServer } from "@freehold/proto/ledger/v1/ledger";
import { randomBytes } from "node:crypto";
import type { Colleague } from "../../../test/support/office.ts";
import { running } from "../../../test/support/running.ts";
import { UNREACHABLE_ADDRESS } from "../../../test/support/service-process.ts";
import { start } from "../src/portfolio.ts";
import { gatewayAssertions, ledgerAssertions, ledgerEnvironment, principalOf } from "./clients.ts";

type LedgerHandlers = GrpcHandlers<LedgerServiceServer>;

const fail = () => Promise.reject(unavailable());
/** A ledger that responds to reads and fails at every billing call, as if it became unavailable after portfolio's commit. */
const readOnlyLedger: Partial<LedgerHandlers> = {
  getLeaseBalances: () => Promise.resolve({ leases: [] }),
  getRentChargedThrough: () => Promise.resolve({}),
  startLeaseBilling: fail,
  prepareLeaseBilling: fail,
  endLeaseBilling: fail,
  reviseLeaseBilling: fail,
};

const startLedger = (office: Colleague, handlers: Partial<LedgerHandlers>) =>
  startGrpcServer({
    service: grpcService<LedgerServiceServer>(LedgerServiceService, ["portfolio"], handlers as never),
    address: "127.0.0.1:0",
    database: {} as Database,
    assertions: { sign: ledgerAssertions().sign, verify: () => Promise.resolve({ principal: principalOf(office) }) },
    log: createLogger("ledger-of-a-test", "silent"),
    metrics: noMetrics,
  });

/** Starts a replica of portfolio that reaches no other service, only identity, only a ledger that fails at billing calls, or only one with given handlers. */
export async function startReplica(
  office: Colleague,
  { reachable, settings }: { reachable: "nothing" | "identity" | "read-only ledger" | Partial<LedgerHandlers>; settings?: Record<string, string> },
) {
  const handlers = reachable === "read-only ledger" ? readOnlyLedger : typeof reachable === "object" ? reachable : undefined;
  const ledger = handlers && (await startLedger(office, handlers));
  Object.assign(process.env, ledgerEnvironment(), {
    ASSERTION_KEY: running().portfolioAssertionKey,
    PORTFOLIO_DATABASE_URL: running().databaseUrls.portfolio.service,
    PORTFOLIO_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
    HTTP_PORT: "0",
    GRPC_PORT: "0",
    LOG_LEVEL: "silent",
    LEDGER_GRPC: ledger ? `127.0.0.1:${ledger.port}` : UNREACHABLE_ADDRESS,
    IDENTITY_GRPC: reachable === "identity" ? ledgerEnvironment()["IDENTITY_GRPC"] : UNREACHABLE_ADDRESS,
    COMMUNICATIONS_GRPC: UNREACHABLE_ADDRESS,
    ...settings,
  });
  const service = await start();
  return {
    stop: () => Promise.all([service.stop(), ledger?.close()]),
    async request(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
      const response = await fetch(`http://127.0.0.1:${service.httpPort}${path}`, {
        method,
        headers: {
          "x-freehold-scope": await gatewayAssertions().sign({ principal: principalOf(office) }),
          ...(body !== undefined && { "Content-Type": "application/json" }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: (await response.json()) as Record<string, never> };
    },
  };
}
