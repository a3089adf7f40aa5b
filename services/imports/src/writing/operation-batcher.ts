/** Batching of calls to operations of other services: operations requested in the same event loop turn share calls. */
import type { FieldError } from "@freehold/contract/errors";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { ApiError } from "@freehold/kit/errors";
import type { OperationRequest } from "@freehold/kit/rpc/execute-operations";
import { OPERATIONS_PER_COMMIT } from "@freehold/kit/rpc/operations-per-commit";
import pLimit from "p-limit";
import type { Clients } from "../clients.ts";

const CONCURRENCY = 4;

export type OperationService = "portfolio" | "ledger";

interface OperationInput {
  params?: Record<string, string>;
  body?: object;
}

/** Idempotency key of the creation of a row's record, with the digest of the row: the key of a row with other values is refused. */
export interface RowKey {
  key: string;
  fingerprint: string;
}

/**
 * Executes an operation of another service and returns its response. Throws the error that the API would return. The
 * idempotency key is that of the row for a creation, and the candidate's id for an update.
 */
export type ExecuteOperation = <T>(service: OperationService, operation: string, key: string | RowKey, input: OperationInput) => Promise<T>;

interface PendingOperation {
  request: OperationRequest;
  resolve: (body: string) => void;
  reject: (error: unknown) => void;
}

/**
 * Creates the executor of operations on behalf of the principal of `db`. An operation with an unknown outcome fails as unavailable
 * and is retried with the same key.
 */
export function operationBatcher(db: OrgDb, clients: Clients): ExecuteOperation {
  const queues: Record<OperationService, PendingOperation[]> = { portfolio: [], ledger: [] };

  async function sendBatch(service: OperationService, batch: readonly PendingOperation[]): Promise<void> {
    try {
      const { results } = await clients[service].executeOperations(db, { requests: batch.map(({ request }) => request) });
      for (const [index, { status, body }] of results.entries()) {
        const { resolve, reject } = batch[index]!;
        if (status === 200) resolve(body);
        else reject(responseError(status, body));
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  function flush(service: OperationService): void {
    const pending = queues[service].splice(0);
    const batches = Array.from({ length: Math.ceil(pending.length / OPERATIONS_PER_COMMIT) }, (_, index) =>
      pending.slice(index * OPERATIONS_PER_COMMIT, (index + 1) * OPERATIONS_PER_COMMIT),
    );
    const limit = pLimit(CONCURRENCY);
    for (const batch of batches) void limit(() => sendBatch(service, batch));
  }

  return async (service, operation, key, { params = {}, body = {} }) => {
    const response = await new Promise<string>((resolve, reject) => {
      const request = { operation, ...(typeof key === "string" ? { key } : key), params, body: JSON.stringify(body) };
      queues[service].push({ request, resolve, reject });
      if (queues[service].length === 1) setImmediate(flush, service);
    });
    return JSON.parse(response) as never;
  };
}

function responseError(status: number, body: string): ApiError {
  const { message, ...rest } = JSON.parse(body) as { message: string; errors?: FieldError[] };
  return new ApiError(status, message, rest);
}
