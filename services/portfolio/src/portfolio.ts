import { startService } from "@freehold/kit/service";
import { clients } from "./clients.ts";
import { config } from "./config.ts";
import { database } from "./database.ts";
import { inviteTokens } from "./invites/invite-token.rules.ts";
import { invitesDoors } from "./invites/invites.http.ts";
import { leasesDoor } from "./leases/leases.http.ts";
import { startLeases } from "./leases/start-leases.ts";
import { notesDoor } from "./notes/notes.http.ts";
import { ownersDoor } from "./owners/owners.http.ts";
import { portfolioQuestions } from "./portfolio.grpc.ts";
import { propertiesDoor } from "./properties/properties.http.ts";
import { subscriptions } from "./subscriptions.ts";
import { tenantsDoor } from "./tenants/tenants.http.ts";
import { unitsDoor } from "./units/units.http.ts";
import { vendorsDoor } from "./vendors/vendors.http.ts";

/** Properties, the people around them and their leases. */
export function start() {
  const settings = config();
  const tokens = inviteTokens(settings.ASSERTION_KEY);
  return startService({
    name: "portfolio",
    database,
    databaseUrl: settings.PORTFOLIO_DATABASE_URL,
    settings,
    assemble: ({ seals }) => {
      const ask = clients({ identity: settings.IDENTITY_GRPC, ledger: settings.LEDGER_GRPC, communications: settings.COMMUNICATIONS_GRPC }, seals);
      return {
        doors: [
          propertiesDoor(ask),
          unitsDoor(ask),
          ownersDoor(ask),
          tenantsDoor(ask),
          vendorsDoor(ask),
          ...invitesDoors({ ask, tokens, publicUrl: settings.PUBLIC_URL }),
          leasesDoor(ask),
          notesDoor(ask),
        ],
        grpc: portfolioQuestions(tokens),
        subscriptions,
        jobs: { startLeases: startLeases(ask) },
      };
    },
  });
}
