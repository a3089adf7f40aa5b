/** The services that communications asks. */
import { asker } from "@freehold/kit/grpc";
import type { Seals } from "@freehold/kit/scope";
import { IdentityServiceClient } from "@freehold/proto/identity/v1/identity";

export const clients = (addresses: { identity: string }, seals: Seals) => ({ identity: asker(IdentityServiceClient, addresses.identity, seals) });
export type Clients = ReturnType<typeof clients>;
