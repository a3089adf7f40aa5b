/** Routes of the contributions of owners. */
import { ownerContributions } from "@freehold/contract/trust/owner-contributions";
import { routes } from "@freehold/kit/http/routes";
import type { Clients } from "../../clients.ts";
import { createOwnerContribution, listOwnerContributions, voidOwnerContribution } from "./owner-contributions.ts";

export const ownerContributionRoutes = (clients: Clients) =>
  routes(ownerContributions, {
    listOwnerContributions: ({ db, params, query }) => listOwnerContributions(db, clients, params.id, query),
    createOwnerContribution: ({ db, params, body }) => createOwnerContribution(db, clients, params.id, body),
    voidOwnerContribution: ({ db, params, body }) => voidOwnerContribution(db, clients, params.id, params.contributionId, body.reason),
  });
