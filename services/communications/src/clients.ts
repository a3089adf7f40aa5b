/** gRPC clients of the services that communications calls. */
import { grpcClient } from "@freehold/kit/rpc/grpc";
import type { Assertions } from "@freehold/kit/auth/assertion";
import { IdentityServiceClient } from "@freehold/proto/identity/v1/identity";
import { PortfolioServiceClient } from "@freehold/proto/portfolio/v1/portfolio";

export const createClients = (addresses: { identity: string; portfolio: string }, assertions: Assertions) => ({
  identity: grpcClient(IdentityServiceClient, addresses.identity, assertions),
  portfolio: grpcClient(PortfolioServiceClient, addresses.portfolio, assertions),
});
export type Clients = ReturnType<typeof createClients>;
