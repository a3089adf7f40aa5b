/** gRPC clients of the services that the ledger calls. */
import { grpcClient } from "@freehold/kit/rpc/grpc";
import type { Assertions } from "@freehold/kit/auth/assertion";
import { CommunicationsServiceClient } from "@freehold/proto/communications/v1/communications";
import { IdentityServiceClient } from "@freehold/proto/identity/v1/identity";
import { PortfolioServiceClient } from "@freehold/proto/portfolio/v1/portfolio";

export const createClients = (addresses: { identity: string; portfolio: string; communications: string }, assertions: Assertions) => ({
  identity: grpcClient(IdentityServiceClient, addresses.identity, assertions),
  portfolio: grpcClient(PortfolioServiceClient, addresses.portfolio, assertions),
  communications: grpcClient(CommunicationsServiceClient, addresses.communications, assertions),
});
export type Clients = ReturnType<typeof createClients>;
