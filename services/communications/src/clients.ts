/** gRPC clients of the services that communications calls. */
import { grpcClient } from "@freehold/kit/rpc/grpc";
import type { Assertions } from "@freehold/kit/auth/assertion";
import { IdentityServiceClient } from "@freehold/proto/identity/v1/identity";

export const createClients = (addresses: { identity: string }, assertions: Assertions) => ({
  identity: grpcClient(IdentityServiceClient, addresses.identity, assertions),
});
export type Clients = ReturnType<typeof createClients>;
