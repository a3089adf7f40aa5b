/**
 * One commit for what several requests of one person write. Each prepares by itself; whoever comes to write waits until
 * the others have come too or have ended without, and then all is written, one after the other. Whatever is asked of other
 * services is therefore asked before or after. When anything is refused nothing of all that is kept, and all is written in
 * smaller parts, in their order: the answers are those of requests that came one after the other.
 */
import { commit, type Unit } from "./db.ts";
import { ApiError } from "./errors.ts";

/** One request's part. */
export interface Part {
  /** Answers what the unit of work returned, once it is committed. */
  join(unit: Unit): Promise<unknown>;
  /** Says that the request has ended: nobody waits for it any more. */
  leave(): void;
}

interface Waiting {
  unit: Unit;
  resolve: (answer: unknown) => void;
  reject: (error: unknown) => void;
}

/** The parts of so many requests. What one of them writes after its part is committed by itself. */
export function together(count: number): Part[] {
  const waiting: Waiting[] = [];
  let expected = count;

  const arrive = () => {
    if (--expected === 0 && waiting.length > 0) void write(waiting);
  };

  return Array.from({ length: count }, () => {
    let isHere = false;
    return {
      async join(unit) {
        if (isHere) return (await commit([unit]))[0];
        isHere = true;
        return new Promise((resolve, reject) => {
          waiting.push({ unit, resolve, reject });
          arrive();
        });
      },
      leave() {
        if (isHere) return;
        isHere = true;
        arrive();
      },
    };
  });
}

const cannotBeDoneNow = (error: unknown): boolean => error instanceof ApiError && error.status === 503;

/** What is refused together is written in halves, one after the other, down to the one that is. What cannot be done now is asked for again as it was. */
async function write(waiting: readonly Waiting[]): Promise<void> {
  try {
    const answers = await commit(waiting.map(({ unit }) => unit));
    for (const [index, { resolve }] of waiting.entries()) resolve(answers[index]);
  } catch (error) {
    if (waiting.length === 1 || cannotBeDoneNow(error)) {
      for (const { reject } of waiting) reject(error);
      return;
    }
    const half = Math.ceil(waiting.length / 2);
    await write(waiting.slice(0, half));
    await write(waiting.slice(half));
  }
}

/** Does something with each, a few at a time, in their order. */
export async function inTurn<T, R>(items: readonly T[], atOnce: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const left = items.entries();
  const next = async () => {
    for (const [index, item] of left) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, next));
  return results;
}
