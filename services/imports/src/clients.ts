/** gRPC clients of the services that imports calls. */
import { grpcClient } from "@freehold/kit/rpc/grpc";
import type { Assertions } from "@freehold/kit/auth/assertion";
import { LedgerServiceClient } from "@freehold/proto/ledger/v1/ledger";
import { PortfolioServiceClient } from "@freehold/proto/portfolio/v1/portfolio";

export const createClients = (addresses: { portfolio: string; ledger: string }, assertions: Assertions) => ({
  portfolio: grpcClient(PortfolioServiceClient, addresses.portfolio, assertions),
  ledger: grpcClient(LedgerServiceClient, addresses.ledger, assertions),
});
export type Clients = ReturnType<typeof createClients>;
