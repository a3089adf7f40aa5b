/** What stands behind the API: the events portfolio wrote, its questions, and a portfolio whose ledger is away. */
import type { Database } from "@freehold/kit/db/org-db";
import { unavailable } from "@freehold/kit/errors";
import { grpcClient, grpcService, startGrpcServer } from "@freehold/kit/rpc/grpc";
import { createLogger } from "@freehold/kit/observability/log";
import { noMetrics } from "@freehold/kit/observability/metrics";
import { createAssertions } from "@freehold/kit/auth/assertion";
import type { Principal } from "@freehold/kit/auth/principal";
import type { Envelope } from "@freehold/contract/events";
import { LedgerServiceClient, LedgerServiceService, type LedgerServiceServer } from "@freehold/proto/ledger/v1/ledger";
import { PortfolioServiceClient } from "@freehold/proto/portfolio/v1/portfolio";
import { randomBytes } from "node:crypto";
import pg from "pg";
import type { Colleague } from "../../../test/office.ts";
import { running } from "../../../test/running.ts";
import { start } from "../src/portfolio.ts";

export const environment = () => running().ledgerEnvironment;
export const ledgerAssertions = () =>
  createAssertions("ledger", environment()["ASSERTION_KEY"]!, JSON.parse(environment()["ASSERTION_PUBLIC_KEYS"]!) as Record<string, string>);

/** The rows of a statement as the owner of portfolio's database sees them, inside one organization. */
export async function rows<R extends object>(organizationId: string, text: string, values: unknown[] = []): Promise<R[]> {
  const client = new pg.Client({ connectionString: running().databaseUrls.portfolio.owner });
  await client.connect();
  try {
    await client.query("select set_config('app.organization_id', $1, false)", [organizationId]);
    return (await client.query<R>(text, values)).rows;
  } finally {
    await client.end();
  }
}

/** The events about one thing, oldest first. */
export async function eventsOf({ organizationId }: Colleague, entityId: string): Promise<Envelope[]> {
  const found = await rows<{ envelope: Envelope }>(
    organizationId,
    "select envelope from outbox where organization_id = $1 and envelope ->> 'entityId' = $2 order by position",
    [organizationId, entityId],
  );
  return found.map(({ envelope }) => envelope);
}

export const principalOf = ({ organizationId, userId }: Colleague): Principal => ({
  organizationId,
  userId,
  role: "admin",
  subjectId: null,
  timezone: "America/New_York",
});

/** Portfolio's questions, asked as another service asks them. */
export function questions(office: Colleague) {
  const client = grpcClient(PortfolioServiceClient, environment()["PORTFOLIO_GRPC"]!, ledgerAssertions());
  const who = { principal: principalOf(office), requestId: null };
  return { client, who };
}

/** The system's ledger, asked as another service asks it. */
export const theLedger = () => grpcClient(LedgerServiceClient, `127.0.0.1:${environment()["GRPC_PORT"]!}`, ledgerAssertions());

const NOWHERE = "127.0.0.1:9";

/** A ledger that answers what a lease is worth and fails at everything else. */
async function halfALedger(office: Colleague) {
  const { sign: seal } = ledgerAssertions();
  const fails = () => Promise.reject(unavailable());
  const answers = {
    getLeaseBalances: () => Promise.resolve({ leases: [] }),
    getRentChargedThrough: () => Promise.resolve({}),
    startLeaseBilling: fails,
    prepareLeaseBilling: fails,
    endLeaseBilling: fails,
    reviseLeaseBilling: fails,
  };
  const door = grpcService<LedgerServiceServer>(LedgerServiceService, answers as never);
  const open = () => Promise.resolve(principalOf(office));
  return startGrpcServer({
    service: door,
    address: "127.0.0.1:0",
    database: {} as Database,
    assertions: { sign: seal, verify: open },
    log: createLogger("half-a-ledger", "silent"),
    metrics: noMetrics,
  });
}

/** Has the work of a day be done for an organization as soon as may be. */
export const doDaysWork = ({ organizationId }: Colleague): Promise<object[]> =>
  rows(organizationId, "update scheduled_work set next_run_at = now() where organization_id = $1", [organizationId]);

/** Another replica of portfolio that reaches nobody, only half a ledger, or everybody but the ledger. */
export async function aReplica(office: Colleague, ledger: "no ledger" | "half a ledger" | "no ledger but identity") {
  const half = ledger === "half a ledger" ? await halfALedger(office) : undefined;
  Object.assign(process.env, environment(), {
    PORTFOLIO_DATABASE_URL: running().databaseUrls.portfolio.service,
    PORTFOLIO_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
    HTTP_PORT: "0",
    GRPC_PORT: "0",
    LOG_LEVEL: "silent",
    LEDGER_GRPC: half ? `127.0.0.1:${half.port}` : NOWHERE,
    IDENTITY_GRPC: ledger === "no ledger but identity" ? environment()["IDENTITY_GRPC"] : NOWHERE,
    COMMUNICATIONS_GRPC: NOWHERE,
  });
  const service = await start();
  return {
    stop: () => Promise.all([service.stop(), half?.close()]),
    async request(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
      const response = await fetch(`http://127.0.0.1:${service.httpPort}${path}`, {
        method,
        headers: {
          "x-freehold-scope": await ledgerAssertions().sign(principalOf(office)),
          ...(body !== undefined && { "Content-Type": "application/json" }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: (await response.json()) as Record<string, never> };
    },
  };
}
