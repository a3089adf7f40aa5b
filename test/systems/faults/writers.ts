/** Concurrent writers of ledger operations. Each operation is retried with its idempotency key until it is acknowledged. */
import { setTimeout as sleep } from "node:timers/promises";
import { digest, type History } from "./history.ts";
import { resultId, workloadOf, type TestData, type Operation } from "./operations.ts";
import { createRandom } from "./random.ts";
import type { Session } from "./session.ts";

const TIMEOUT_MS = 6_000;
const PAUSE_MS = 100;
const STOP_TIMEOUT_MS = 30_000;
/** One in this many operations is not retried after an unknown outcome. */
const ABANDON_RATE = 12;

export interface WritersOptions {
  baseUrl: string;
  session: Session;
  testData: TestData;
  history: History;
  count: number;
  seed: number;
}

export interface Writers {
  readonly acknowledged: number;
  /** Ids of the acknowledged payments. */
  readonly payments: readonly string[];
  /** Unexpected refusals, and 500 responses, which no fault explains. */
  readonly surprises: readonly string[];
  /** Waits until every writer has finished its operation, up to a timeout. */
  stop(): Promise<void>;
}

/** Sends an operation once and returns the response. */
export async function sendOperation(baseUrl: string, token: string, { key, path, body }: Operation): Promise<{ status: number; text: string }> {
  const response = await fetch(`${baseUrl}${path}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json", "Idempotency-Key": key },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  return { status: response.status, text: await response.text() };
}

export function startWriters({ baseUrl, session, testData, history, count, seed }: WritersOptions): Writers {
  let acknowledged = 0;
  let isStopping = false;
  let deadline = Infinity;
  const surprises: string[] = [];
  const payments: string[] = [];

  /** Retries an operation until it is acknowledged, refused or abandoned. Returns the acknowledged id. */
  async function execute(operation: Operation, mayAbandon: boolean): Promise<string | undefined> {
    const { key } = operation;
    history.write({ type: "requested", operation });
    while (performance.now() < deadline) {
      const { token } = session;
      const response = await sendOperation(baseUrl, token, operation).catch((error: unknown) => ({ status: 0, text: String(error) }));
      if (response.status === 200) {
        const id = resultId(operation, response.text);
        history.write({ type: "acknowledged", key, id, digest: digest(response.text) });
        acknowledged++;
        if (operation.kind === "payment") payments.push(id);
        return id;
      }
      if (response.status === 401) {
        await session.renew(token);
        continue;
      }
      if (response.status > 0 && response.status < 500) {
        history.write({ type: "refused", key, reason: `${response.status} ${response.text}` });
        if (!operation.isInvalid) surprises.push(`${operation.path} ${response.status} ${response.text}`);
        return undefined;
      }
      if (response.status === 500) surprises.push(`${operation.path} 500 ${response.text}`);
      history.write({ type: "ambiguous", key, reason: `${response.status} ${response.text.slice(0, 100)}` });
      if (mayAbandon) return undefined;
      await sleep(PAUSE_MS);
    }
    return undefined;
  }

  const writers = Array.from({ length: count }, async (_, index) => {
    const random = createRandom(seed + index);
    const work = workloadOf(testData, random);
    while (!isStopping) {
      const operation = work.next();
      const id = await execute(operation, random.below(ABANDON_RATE) === 0);
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
      isStopping = true;
      deadline = performance.now() + STOP_TIMEOUT_MS;
      await Promise.all(writers);
    },
  };
}
