/** gRPC clients of the services that imports calls. */
import { grpcClient } from "@freehold/kit/rpc/grpc";
import type { Assertions } from "@freehold/kit/auth/assertion";
import { IdentityServiceClient } from "@freehold/proto/identity/v1/identity";
import { LedgerServiceClient } from "@freehold/proto/ledger/v1/ledger";
import { PortfolioServiceClient } from "@freehold/proto/portfolio/v1/portfolio";

export const createClients = (addresses: Record<"identity" | "portfolio" | "ledger", string>, assertions: Assertions) => ({
  identity: grpcClient(IdentityServiceClient, addresses.identity, assertions),
  portfolio: grpcClient(PortfolioServiceClient, addresses.portfolio, assertions),
  ledger: grpcClient(LedgerServiceClient, addresses.ledger, assertions),
});
export type Clients = ReturnType<typeof createClients>;
