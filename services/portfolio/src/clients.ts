/** The services that portfolio asks. */
import { asker } from "@freehold/kit/grpc";
import type { Seals } from "@freehold/kit/scope";
import { CommunicationsServiceClient } from "@freehold/proto/communications/v1/communications";
import { IdentityServiceClient } from "@freehold/proto/identity/v1/identity";
import { LedgerServiceClient } from "@freehold/proto/ledger/v1/ledger";

export const clients = (addresses: { identity: string; ledger: string; communications: string }, seals: Seals) => ({
  identity: asker(IdentityServiceClient, addresses.identity, seals),
  ledger: asker(LedgerServiceClient, addresses.ledger, seals),
  communications: asker(CommunicationsServiceClient, addresses.communications, seals),
});
export type Clients = ReturnType<typeof clients>;
