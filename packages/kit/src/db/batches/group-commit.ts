/**
 * Group commit: the writes of several requests of one user in one transaction.
 *
 * Each request runs on its own until it writes, then waits until every other request of the group writes too or ends
 * without a write. Calls to other services therefore happen before or after the transaction. When the commit is refused,
 * the group is split in halves that commit in order, so each request gets the result of a sequential execution in the order of the requests.
 */
import { ApiError } from "../../errors.ts";
import type { CommitParticipant } from "../org-db.ts";
import { commitUnits, type WriteUnit } from "../transaction.ts";

interface Waiting {
  unit: WriteUnit;
  resolve: (result: unknown) => void;
  reject: (error: unknown) => void;
}

/** Creates a group of `count` requests, in their order. Only a request's first write joins the group; later ones commit on their own. */
export function createGroupCommit(count: number): CommitParticipant[] {
  const waiting = new Map<number, Waiting>();
  let expected = count;

  const arrive = () => {
    if (--expected > 0 || waiting.size === 0) return;
    void commitOrSplit([...waiting].toSorted(([one], [other]) => one - other).map(([, each]) => each));
  };

  return Array.from({ length: count }, (_, index) => {
    let hasArrived = false;
    return {
      async join(unit: WriteUnit) {
        if (hasArrived) return (await commitUnits([unit]))[0];
        hasArrived = true;
        return new Promise((resolve, reject) => {
          waiting.set(index, { unit, resolve, reject });
          arrive();
        });
      },
      leave() {
        if (hasArrived) return;
        hasArrived = true;
        arrive();
      },
    };
  });
}

const isUnavailable = (error: unknown): boolean => error instanceof ApiError && error.status === 503;

/** Commits the writes together. A refusal splits them in halves; a 503 rejects all of them, since a retry would fail too. */
async function commitOrSplit(waiting: readonly Waiting[]): Promise<void> {
  try {
    const results = await commitUnits(waiting.map(({ unit }) => unit));
    for (const [index, { resolve }] of waiting.entries()) resolve(results[index]);
  } catch (error) {
    if (waiting.length === 1 || isUnavailable(error)) {
      for (const { reject } of waiting) reject(error);
      return;
    }
    const half = Math.ceil(waiting.length / 2);
    await commitOrSplit(waiting.slice(0, half));
    await commitOrSplit(waiting.slice(half));
  }
}
