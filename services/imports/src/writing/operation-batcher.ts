/** Operations of other services, asked for one by one and sent together: whatever is asked for in the same moment travels in one question. */
import type { FieldError } from "@freehold/contract/errors";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { ApiError } from "@freehold/kit/errors";
import type { OperationRequest } from "@freehold/kit/rpc/execute-operations";
import pLimit from "p-limit";
import type { Clients } from "../clients.ts";

/** As many as their owner writes in one commit, well within the time that a question has; and so many questions at once. */
const TOGETHER = 50;
const AT_ONCE = 4;

export type Owner = "portfolio" | "ledger";

export interface Asked {
  params?: Record<string, string>;
  body?: object;
}

/** What an operation answers; refused, it throws what the caller of the API would read. Its key is the row's, with the step. */
export type Perform = <T>(service: Owner, operation: string, key: string, asked: Asked) => Promise<T>;

interface Waiting {
  order: OperationRequest;
  resolve: (body: string) => void;
  reject: (error: unknown) => void;
}

/** Sends orders in the name of whoever is asking. What nobody knows the end of fails as unavailable, and is asked again with the same key. */
export function performing(db: OrgDb, clients: Clients): Perform {
  const queues: Record<Owner, Waiting[]> = { portfolio: [], ledger: [] };

  async function send(service: Owner, batch: readonly Waiting[]): Promise<void> {
    try {
      const { results } = await clients[service].executeOperations(db, { requests: batch.map(({ order }) => order) });
      for (const [index, { status, body }] of results.entries()) {
        const { resolve, reject } = batch[index]!;
        if (status === 200) resolve(body);
        else reject(refusal(status, body));
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  function flush(service: Owner): void {
    const waiting = queues[service].splice(0);
    const batches = Array.from({ length: Math.ceil(waiting.length / TOGETHER) }, (_, at) => waiting.slice(at * TOGETHER, (at + 1) * TOGETHER));
    const limit = pLimit(AT_ONCE);
    for (const batch of batches) void limit(() => send(service, batch));
  }

  return async (service, operation, key, { params = {}, body = {} }) => {
    const answer = await new Promise<string>((resolve, reject) => {
      queues[service].push({ order: { operation, key, params, body: JSON.stringify(body) }, resolve, reject });
      if (queues[service].length === 1) setImmediate(flush, service);
    });
    return JSON.parse(answer) as never;
  };
}

function refusal(status: number, body: string): ApiError {
  const { message, ...rest } = JSON.parse(body) as { message: string; errors?: FieldError[] };
  return new ApiError(status < 500 ? status : 503, message, rest);
}
