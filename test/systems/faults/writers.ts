/** Programs that move money at the same time, each operation with its key until it is acknowledged. */
import { setTimeout as sleep } from "node:timers/promises";
import { digest, type History } from "./history.ts";
import { resultId, workloadOf, type TestData, type Operation } from "./operations.ts";
import { random } from "./random.ts";
import type { Session } from "./session.ts";

const TIMEOUT_MS = 6_000;
const PAUSE_MS = 100;
const LAST_PATIENCE_MS = 30_000;
/** One operation in so many is left alone once nobody knows whether it happened. */
const ABANDON_RATE = 12;

export interface WritersOptions {
  baseUrl: string;
  session: Session;
  ground: TestData;
  history: History;
  count: number;
  seed: number;
}

export interface Writers {
  readonly acknowledged: number;
  /** The ids of the payments that were acknowledged. */
  readonly payments: readonly string[];
  /** Refusals that nobody asked for, and failures that no fault explains. */
  readonly surprises: readonly string[];
  /** Lets every writer finish what it is at, as long as somebody answers. */
  stop(): Promise<void>;
}

/** Sends an operation once and answers what came back. */
export async function sendOperation(baseUrl: string, token: string, { key, path, body }: Operation): Promise<{ status: number; text: string }> {
  const response = await fetch(`${baseUrl}${path}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json", "Idempotency-Key": key },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  return { status: response.status, text: await response.text() };
}

export function startWriters({ baseUrl, session, ground, history, count, seed }: WritersOptions): Writers {
  let acknowledged = 0;
  let isOver = false;
  let givesUpAt = Infinity;
  const surprises: string[] = [];
  const payments: string[] = [];

  /** Until it is acknowledged, refused, or given up; answers the acknowledged id. */
  async function perform(operation: Operation, mayAbandon: boolean): Promise<string | undefined> {
    const { key } = operation;
    history.write({ what: "asked", operation });
    while (performance.now() < givesUpAt) {
      const { token } = session;
      const answer = await sendOperation(baseUrl, token, operation).catch((error: unknown) => ({ status: 0, text: String(error) }));
      if (answer.status === 200) {
        const id = resultId(operation, answer.text);
        history.write({ what: "acknowledged", key, id, digest: digest(answer.text) });
        acknowledged++;
        if (operation.kind === "payment") payments.push(id);
        return id;
      }
      if (answer.status === 401) {
        await session.renew(token);
        continue;
      }
      if (answer.status > 0 && answer.status < 500) {
        history.write({ what: "refused", key, why: `${answer.status} ${answer.text}` });
        if (!operation.isInvalid) surprises.push(`${operation.path} ${answer.status} ${answer.text}`);
        return undefined;
      }
      if (answer.status === 500) surprises.push(`${operation.path} 500 ${answer.text}`);
      history.write({ what: "ambiguous", key, why: `${answer.status} ${answer.text.slice(0, 100)}` });
      if (mayAbandon) return undefined;
      await sleep(PAUSE_MS);
    }
    return undefined;
  }

  const writers = Array.from({ length: count }, async (_, index) => {
    const chance = random(seed + index);
    const work = workloadOf(ground, chance);
    while (!isOver) {
      const operation = work.next();
      const id = await perform(operation, chance.below(ABANDON_RATE) === 0);
      if (id) work.acknowledged(operation, id);
    }
  });

  return {
    get acknowledged() {
      return acknowledged;
    },
    surprises,
    payments,
    async stop() {
      isOver = true;
      givesUpAt = performance.now() + LAST_PATIENCE_MS;
      await Promise.all(writers);
    },
  };
}
