/** Check that the caller of an operation may still act: a user or service key that exists, is active, and whose access has not changed. */
import { OrgDb } from "@freehold/kit/db/org-db";
import { commitUnits, type WriteUnit } from "@freehold/kit/db/transaction";
import type { Routes } from "@freehold/kit/http/routes";
import { findAccess, lockAccess } from "./actor.queries.ts";
import { requireUnchangedAccess } from "./actor.rules.ts";

type Handler = (context: { db: OrgDb }) => Promise<unknown>;

/**
 * Adds the check to the operations that require a token: before each of them, and again in its transaction, which no change of the
 * caller's access can overtake. Throws 401.
 */
export function requireCurrentActor({ area, handlers }: Routes): Routes {
  const checked = Object.entries(area.operations).map(([id, { access }]) => {
    const handler = handlers[id] as unknown as Handler;
    return [id, access === "public" ? handler : withActorCheck(handler)];
  });
  return { area, handlers: Object.fromEntries(checked) as Routes["handlers"] };
}

const withActorCheck =
  (handler: Handler): Handler =>
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
