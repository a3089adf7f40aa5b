/** gRPC clients that call portfolio and the ledger of the system under test as another service. */
import { createAssertions } from "@freehold/kit/auth/assertion";
import type { Principal } from "@freehold/kit/auth/principal";
import { grpcClient } from "@freehold/kit/rpc/grpc";
import { LedgerServiceClient } from "@freehold/proto/ledger/v1/ledger";
import { PortfolioServiceClient } from "@freehold/proto/portfolio/v1/portfolio";
import type { ProcessName } from "../../../deploy/system/secrets.ts";
import { keysOf } from "../../../test/support/events/messages.ts";
import type { Colleague } from "../../../test/support/office.ts";
import { running } from "../../../test/support/running.ts";

export const ledgerEnvironment = () => running().ledgerEnvironment;
const assertionsOf = (name: ProcessName) => createAssertions(keysOf(name, running().dataDir));
export const ledgerAssertions = () => assertionsOf("ledger");
export const gatewayAssertions = () => assertionsOf("gateway");

export const principalOf = ({ organizationId, userId }: Colleague): Principal => ({
  organizationId,
  userId,
  role: "admin",
  subjectId: null,
  timezone: "America/New_York",
});

/** Returns a client of portfolio and the caller to pass to its calls. */
export function portfolioClient(office: Colleague) {
  const client = grpcClient(PortfolioServiceClient, ledgerEnvironment()["PORTFOLIO_GRPC"]!, ledgerAssertions());
  const caller = { principal: principalOf(office), requestId: null };
  return { client, caller };
}

export const ledgerClient = () => grpcClient(LedgerServiceClient, `127.0.0.1:${ledgerEnvironment()["GRPC_PORT"]!}`, assertionsOf("portfolio"));
