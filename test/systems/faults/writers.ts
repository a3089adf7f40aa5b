/**
 * Concurrent writers of ledger operations. Each operation is retried with its idempotency key until it is acknowledged or
 * refused, except for some that are abandoned after an unknown outcome.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { digest, type History } from "./history.ts";
import { resultId, workloadOf, type TestData, type Operation } from "./operations.ts";
import { createRandom } from "./random.ts";
import type { Session } from "./session.ts";

const REQUEST_TIMEOUT_MS = 6_000;
const RETRY_DELAY_MS = 100;
/** Time after `stop` in which unfinished operations are still retried. */
const STOP_TIMEOUT_MS = 30_000;
/** One in this many operations with an unknown outcome, on average, is abandoned instead of being retried. */
const ABANDONED_ONE_IN = 12;

export interface WritersOptions {
  baseUrl: string;
  session: Session;
  testData: TestData;
  history: History;
  /** Number of concurrent writers. */
  count: number;
  seed: number;
}

export interface Writers {
  /** Number of acknowledged operations of every kind. */
  readonly acknowledgedCount: number;
  readonly acknowledgedPaymentIds: readonly string[];
  /** Refusals of valid operations, acceptances of invalid ones, and 500 responses: no fault explains them. */
  readonly unexpectedResponses: readonly string[];
  /** Stops sending new operations and waits for those in progress, which are retried for at most 30 seconds. */
  stop(): Promise<void>;
}

/** Sends an operation once and returns the response. Throws if there is no response; the outcome is then unknown. */
export async function sendOperation(baseUrl: string, token: string, { key, path, body }: Operation): Promise<{ status: number; text: string }> {
  const response = await fetch(`${baseUrl}${path}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json", "Idempotency-Key": key },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  });
  return { status: response.status, text: await response.text() };
}

/**
 * Starts the writers. Each executes a random sequence of operations. The seed determines the random numbers but not the sequence:
 * keys are always new, and the kinds and amounts also depend on which earlier operations were acknowledged.
 */
export function startWriters({ baseUrl, session, testData, history, count, seed }: WritersOptions): Writers {
  let acknowledgedCount = 0;
  let isStopping = false;
  let deadline = Infinity;
  const unexpectedResponses: string[] = [];
  const acknowledgedPaymentIds: string[] = [];

  /** Retries an operation until it is acknowledged, refused, abandoned or past the deadline. Returns the acknowledged id. */
  async function execute(operation: Operation, mayAbandon: boolean): Promise<string | undefined> {
    const { key } = operation;
    history.write({ type: "requested", operation });
    while (performance.now() < deadline) {
      const { token } = session;
      const response = await sendOperation(baseUrl, token, operation).catch((error: unknown) => ({ status: "no response" as const, text: String(error) }));
      const { status, text } = response;
      if (status === 200) {
        if (operation.isInvalid) unexpectedResponses.push(`${operation.path} 200 ${text}`);
        const id = resultId(operation, text);
        history.write({ type: "acknowledged", key, id, digest: digest(text) });
        acknowledgedCount++;
        if (operation.kind === "payment") acknowledgedPaymentIds.push(id);
        return id;
      }
      if (status === 401) {
        await session.renew(token);
        continue;
      }
      if (status !== "no response" && status < 500) {
        history.write({ type: "refused", key, reason: `${status} ${text}` });
        if (!operation.isInvalid) unexpectedResponses.push(`${operation.path} ${status} ${text}`);
        return undefined;
      }
      if (status === 500) unexpectedResponses.push(`${operation.path} 500 ${text}`);
      history.write({ type: "ambiguous", key, reason: `${status} ${text.slice(0, 100)}` });
      if (mayAbandon) return undefined;
      await sleep(RETRY_DELAY_MS);
    }
    return undefined;
  }

  const writers = Array.from({ length: count }, async (_, index) => {
    const random = createRandom(seed + index);
    const workload = workloadOf(testData, random);
    while (!isStopping) {
      const operation = workload.next();
      const id = await execute(operation, random.integerBelow(ABANDONED_ONE_IN) === 0);
      if (id) workload.recordAcknowledgement(operation, id);
    }
  });

  return {
    get acknowledgedCount() {
      return acknowledgedCount;
    },
    unexpectedResponses,
    acknowledgedPaymentIds,
    async stop() {
      isStopping = true;
      deadline = performance.now() + STOP_TIMEOUT_MS;
      await Promise.all(writers);
    },
  };
}
