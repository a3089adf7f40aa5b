/** The services that identity asks. */
import { asker } from "@freehold/kit/grpc";
import type { Seals } from "@freehold/kit/scope";
import { CommunicationsServiceClient } from "@freehold/proto/communications/v1/communications";
import { LedgerServiceClient } from "@freehold/proto/ledger/v1/ledger";
import { PortfolioServiceClient } from "@freehold/proto/portfolio/v1/portfolio";

export const clients = (addresses: { ledger: string; portfolio: string; communications: string }, seals: Seals) => ({
  ledger: asker(LedgerServiceClient, addresses.ledger, seals),
  portfolio: asker(PortfolioServiceClient, addresses.portfolio, seals),
  communications: asker(CommunicationsServiceClient, addresses.communications, seals),
});
export type Clients = ReturnType<typeof clients>;
