/** Check that the caller of an operation may still act: a user or service key that exists, is active, and whose access has not changed. */
import { OrgDb } from "@freehold/kit/db/org-db";
import { commitUnits, type WriteUnit } from "@freehold/kit/db/transaction";
import { wrapHandlers, type Routes, type ScopedHandler } from "@freehold/kit/http/routes";
import { findAccess, lockAccess } from "./actor.queries.ts";
import { requireUnchangedAccess } from "./actor.rules.ts";

/**
 * Adds the check to the operations that require a token: before each of them, and again in its transaction, which no change of the
 * caller's access can overtake. Throws 401.
 */
export const withCurrentActor = (routes: Routes): Routes =>
  wrapHandlers(routes, (handler, { access }) => (access === "public" ? handler : withActorCheck(handler)));

const withActorCheck =
  (handler: ScopedHandler): ScopedHandler =>
  async (context) => {
    const { db } = context;
    requireUnchangedAccess(db.principal, await findAccess(db));
    return handler({ ...context, db: withCheckedTransactions(db) });
  };

/** Returns the database with transactions that begin with the check. */
function withCheckedTransactions({ database, principal, request }: OrgDb): OrgDb {
  const join = async (unit: object): Promise<unknown> => {
    const { db, work } = unit as WriteUnit;
    const [result] = await commitUnits([
      {
        db,
        work: async (tx) => {
          requireUnchangedAccess(principal, await lockAccess(tx));
          return work(tx);
        },
      },
    ]);
    return result;
  };
  return new OrgDb(database, principal, { ...request, commitParticipant: { join, leave: () => undefined } });
}
