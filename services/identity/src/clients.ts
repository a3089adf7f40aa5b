/** The gRPC clients of the services that identity calls. */
import { grpcClient } from "@freehold/kit/rpc/grpc";
import type { Assertions } from "@freehold/kit/auth/assertion";
import { CommunicationsServiceClient } from "@freehold/proto/communications/v1/communications";
import { LedgerServiceClient } from "@freehold/proto/ledger/v1/ledger";
import { PortfolioServiceClient } from "@freehold/proto/portfolio/v1/portfolio";

/** Creates the gRPC clients of the services that identity calls. */
export const createClients = (addresses: { ledger: string; portfolio: string; communications: string }, assertions: Assertions) => ({
  ledger: grpcClient(LedgerServiceClient, addresses.ledger, assertions),
  portfolio: grpcClient(PortfolioServiceClient, addresses.portfolio, assertions),
  communications: grpcClient(CommunicationsServiceClient, addresses.communications, assertions),
});
export type Clients = ReturnType<typeof createClients>;
