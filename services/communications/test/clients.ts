/** gRPC clients of communications that call the system under test. */
import { createAssertions } from "@freehold/kit/auth/assertion";
import { keysOf } from "../../../test/support/events/messages.ts";
import { running } from "../../../test/support/running.ts";
import { createClients, type Clients } from "../src/clients.ts";

/** Returns clients with the key of communications. */
export function testClients(): Clients {
  const { IDENTITY_GRPC, PORTFOLIO_GRPC } = running().ledgerEnvironment;
  return createClients({ identity: IDENTITY_GRPC!, portfolio: PORTFOLIO_GRPC! }, createAssertions(keysOf("communications", running().dataDir)));
}
