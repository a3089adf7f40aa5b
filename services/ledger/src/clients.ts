/** The services that the ledger asks. */
import { asker } from "@freehold/kit/grpc";
import type { Seals } from "@freehold/kit/scope";
import { IdentityServiceClient } from "@freehold/proto/identity/v1/identity";
import { PortfolioServiceClient } from "@freehold/proto/portfolio/v1/portfolio";

export const clients = (addresses: { identity: string; portfolio: string }, seals: Seals) => ({
  identity: asker(IdentityServiceClient, addresses.identity, seals),
  portfolio: asker(PortfolioServiceClient, addresses.portfolio, seals),
});
export type Clients = ReturnType<typeof clients>;
