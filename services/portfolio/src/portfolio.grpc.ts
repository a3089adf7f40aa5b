import { grpcService } from "@freehold/kit/rpc/grpc";
import type { ExecuteOperations } from "@freehold/kit/rpc/execute-operations";
import { PortfolioServiceService, type PortfolioServiceServer } from "@freehold/proto/portfolio/v1/portfolio";
import { claimInvite, findInvite } from "./people/invites/accepting.ts";
import type { InviteTokens } from "./people/invites/invite-token.rules.ts";
import { leasesForLedger } from "./leases/billing/lease-billing.queries.ts";
import { matchesFor } from "./matches/matches.queries.ts";
import { ownersFor, propertiesFor, tenantsFor, unitsFor } from "./portfolio.queries.ts";

/** The questions that other services may ask. */
export const portfolioQuestions = (tokens: InviteTokens, perform: ExecuteOperations) =>
  grpcService<PortfolioServiceServer>(PortfolioServiceService, {
    getProperties: async ({ ids }, db) => ({ properties: await propertiesFor(db, ids) }),
    getUnits: async ({ ids }, db) => ({ units: await unitsFor(db, ids) }),
    getTenants: async ({ ids }, db) => ({ tenants: await tenantsFor(db, ids) }),
    getOwners: async ({ ids }, db) => ({ owners: await ownersFor(db, ids) }),
    getLeases: async ({ ids }, db) => ({ leases: await leasesForLedger(db, ids) }),
    findInvite: ({ token }, db) => findInvite(db, tokens, token),
    claimInvite: ({ token }, db) => claimInvite(db, tokens, token),
    findMatches: async (request, db) => ({ matches: await matchesFor(db, request) }),
    executeOperations: perform,
  });
