/**
 * Operations that another service asks for, many at once: the same validation, the same functions and the same answers
 * as over HTTP. Each has a key, and with it takes effect once, however often it is asked for and however late.
 */
import type { Operation } from "@freehold/contract/operation";
import { paramsOf } from "@freehold/contract/operation";
import { roleRequirement } from "@freehold/contract/roles";
import { z } from "zod";
import { OrgDb } from "./db.ts";
import { errorBody, forbidden, notFound, toApiError } from "./errors.ts";
import { fingerprint, Replay } from "./idempotency.ts";
import type { Logger } from "./log.ts";
import type { Door } from "./serve.ts";
import { inTurn, together, type Part } from "./together.ts";
import { parse } from "./validation.ts";

/** As many as are written in one commit, and as many commits as one replica works on at once for one asker: others want the database too. */
const TOGETHER = 50;
const AT_ONCE = 2;

export interface Order {
  operation: string;
  key: string;
  params: Record<string, string>;
  body: string;
}

export interface Outcome {
  status: number;
  body: string;
}

/** Answers the orders of somebody, each as if it had been asked for over HTTP, in their order. */
export type Perform = (asked: { orders: readonly Order[] }, db: OrgDb) => Promise<{ outcomes: Outcome[] }>;

/** Performs operations of a service's doors for somebody who may: one that fails leaves nothing and the others as they are. */
export function performer(doors: readonly Door[], log: Logger): Perform {
  const known = new Map(
    doors.flatMap(({ area, handlers }) => Object.entries(area.operations).map(([id, operation]) => [id, { operation, handler: handlers[id]! }] as const)),
  );

  async function perform({ operation: id, key, params, body }: Order, db: OrgDb, part: Part): Promise<Outcome> {
    try {
      const found = known.get(id);
      if (!found) throw notFound("Operation");
      const { operation, handler } = found;
      refuseOthers(operation, db);
      const input = { params: parse(paramsOf(operation) ?? nothing, params), query: {}, body: parse(operation.body ?? nothing, JSON.parse(body)) };
      const claim = { key, userId: db.scope.userId!, operation: `${id} ${JSON.stringify(input.params)}`, fingerprint: fingerprint(input.body), isKept: true };
      const own = new OrgDb(db.database, db.scope, { requestId: db.requestId, idempotency: claim, part });
      return { status: 200, body: JSON.stringify(await handler({ ...input, db: own, requestId: db.requestId } as never)) };
    } catch (thrown) {
      if (thrown instanceof Replay) return { status: 200, body: thrown.body };
      const error = toApiError(thrown);
      if (error.status === 500) log.error({ err: error.cause ?? error, operation: id, requestId: db.requestId }, error.message);
      return { status: error.status, body: JSON.stringify(errorBody(error)) };
    } finally {
      part.leave();
    }
  }

  function performTogether(orders: readonly Order[], db: OrgDb): Promise<Outcome[]> {
    const parts = together(orders.length);
    return Promise.all(orders.map((order, index) => perform(order, db, parts[index]!)));
  }

  return async ({ orders }, db) => {
    const batches = Array.from({ length: Math.ceil(orders.length / TOGETHER) }, (_, at) => orders.slice(at * TOGETHER, (at + 1) * TOGETHER));
    return { outcomes: (await inTurn(batches, AT_ONCE, (batch) => performTogether(batch, db))).flat() };
  };
}

const nothing = z.strictObject({});

/** Whoever could not call an operation cannot have it performed; what anybody may call is nothing to perform for somebody. */
function refuseOthers({ access, summary }: Operation, { scope }: OrgDb): void {
  const roles = access === "public" ? [] : access;
  if (scope.userId === null || !roles.some((role) => role === scope.role)) throw forbidden(roleRequirement(roles, summary));
}
