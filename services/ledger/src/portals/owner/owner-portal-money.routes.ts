/** Routes of the money of owners in their portal. */
import { ownerPortalMoney } from "@freehold/contract/portals/owner-portal-money";
import { routes } from "@freehold/kit/http/routes";
import type { Clients } from "../../clients.ts";
import { getWeightedOwnerBalance } from "../../owners/ledgers/owner-balance.ts";
import { getOwnerStatement, listOwnerStatements } from "../../owners/statements/owner-statements.ts";
import { sendStatement } from "../../owners/statements/owner-statements.routes.ts";
import { asLedger, openOwnerAccess } from "./owner-access.ts";
import { listOwnerPortalDistributions } from "./owner-distributions.ts";
import { listOwnerPortalExpenses } from "./owner-expenses.ts";
import { getOwnerPortalIncomeStatement } from "./owner-income-statement.ts";
import { listOwnerPortalLedger } from "./owner-portal-ledger.ts";

export const ownerPortalMoneyRoutes = (clients: Clients) =>
  routes(ownerPortalMoney, {
    listOwnerPortalLedger: ({ db, query }) => listOwnerPortalLedger(db, clients, query),
    getOwnerPortalBalance: async ({ db, query }) => {
      const { ownerId } = await openOwnerAccess(db, clients);
      // The balance of one owner depends on the shares and balances of the others.
      return getWeightedOwnerBalance(asLedger(db), clients, ownerId, query);
    },
    listOwnerPortalStatements: async ({ db, query }) => {
      const access = await openOwnerAccess(db, clients);
      return listOwnerStatements(access.db, clients, access.ownerId, query);
    },
    downloadOwnerPortalStatement: async (request) => {
      const { db } = await openOwnerAccess(request.db, clients);
      return sendStatement(request, await getOwnerStatement(db, request.params.id));
    },
    listOwnerPortalDistributions: ({ db, query }) => listOwnerPortalDistributions(db, clients, query),
    getOwnerPortalIncomeStatement: ({ db, query }) => getOwnerPortalIncomeStatement(db, clients, query),
    listOwnerPortalExpenses: ({ db, query }) => listOwnerPortalExpenses(db, clients, query),
  });
