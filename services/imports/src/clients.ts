/** Whom imports asks. */
import { asker } from "@freehold/kit/grpc";
import type { Seals } from "@freehold/kit/scope";
import { LedgerServiceClient } from "@freehold/proto/ledger/v1/ledger";
import { PortfolioServiceClient } from "@freehold/proto/portfolio/v1/portfolio";

export const clients = (addresses: { portfolio: string; ledger: string }, seals: Seals) => ({
  portfolio: asker(PortfolioServiceClient, addresses.portfolio, seals),
  ledger: asker(LedgerServiceClient, addresses.ledger, seals),
});
export type Clients = ReturnType<typeof clients>;
