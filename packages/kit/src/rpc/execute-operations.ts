/**
 * Executes operations of the contract that another service sends in batches over gRPC, with the validation, the handlers and
 * the responses of HTTP. Each has a permanent idempotency key, so it takes effect once however often and late it is sent. A key with another
 * fingerprint than before is refused with a 409 `idempotency_key_reused`.
 */
import type { Operation } from "@freehold/contract/operation";
import { paramsOf } from "@freehold/contract/operation";
import { roleRequirement } from "@freehold/contract/roles";
import pLimit from "p-limit";
import { z } from "zod";
import { analyzeGrownTables } from "../db/batches/analyze-grown-tables.ts";
import { createGroupCommit } from "../db/batches/group-commit.ts";
import { IdempotentReplay } from "../db/idempotency.ts";
import { OrgDb, type CommitParticipant } from "../db/org-db.ts";
import { errorBody, forbidden, notFound, toApiError } from "../errors.ts";
import type { Routes } from "../http/routes.ts";
import { parse } from "../http/validation.ts";
import type { Logger } from "../observability/log.ts";
import { OPERATIONS_PER_COMMIT } from "./operations-per-commit.ts";

/** Commits per call that run at once; more would take the database from other callers. */
const CONCURRENT_COMMITS = 2;

export interface OperationRequest {
  operation: string;
  key: string;
  params: Record<string, string>;
  body: string;
  /** Digest of what the key stands for; without it the key alone decides. */
  fingerprint?: string | undefined;
}

export interface OperationResult {
  status: number;
  body: string;
}

/** Executes operations for the calling principal and returns their results in order. A failed one has no effect and does not fail the others. */
export type ExecuteOperations = (call: { requests: readonly OperationRequest[] }, db: OrgDb) => Promise<{ results: OperationResult[] }>;

const noMembers = z.strictObject({});

/** Refuses callers whose role cannot call the operation over HTTP, and public operations. */
function requireAccess({ access, summary }: Operation, { principal }: OrgDb): void {
  const roles = access === "public" ? [] : access;
  if (principal.userId === null || !roles.some((role) => role === principal.role)) throw forbidden(roleRequirement(roles, summary));
}

/** Creates the executor for the operations of a service's routes. */
export function operationExecutor(routes: readonly Routes[], log: Logger): ExecuteOperations {
  const operations = new Map(
    routes.flatMap(({ area, handlers }) => Object.entries(area.operations).map(([id, operation]) => [id, { operation, handler: handlers[id]! }] as const)),
  );

  async function executeOperation(request: OperationRequest, db: OrgDb, commitParticipant: CommitParticipant): Promise<OperationResult> {
    const { operation: id, key, params, body, fingerprint = "" } = request;
    try {
      const found = operations.get(id);
      if (!found) throw notFound("Operation");
      const { operation, handler } = found;
      requireAccess(operation, db);
      const input = {
        params: parse(paramsOf(operation) ?? noMembers, params),
        query: {},
        headers: {},
        body: parse(operation.body ?? noMembers, JSON.parse(body)),
      };
      const idempotency = {
        key,
        // The key is that of a row, which another user may import again.
        userId: db.organizationId,
        operation: `${id} ${JSON.stringify(input.params)}`,
        // Not that of the body, which may contain the time of the attempt.
        fingerprint,
        isPermanent: true,
      };
      const own = new OrgDb(db.database, db.principal, { requestId: db.requestId, clientAddress: db.clientAddress, idempotency, commitParticipant });
      return { status: 200, body: JSON.stringify(await handler({ ...input, db: own, requestId: db.requestId } as never)) };
    } catch (thrown) {
      if (thrown instanceof IdempotentReplay) return { status: 200, body: thrown.body };
      const error = toApiError(thrown);
      if (error.status === 500) log.error({ err: error.cause ?? error, operation: id, requestId: db.requestId }, error.message);
      return { status: error.status, body: JSON.stringify(errorBody(error)) };
    } finally {
      commitParticipant.leave();
    }
  }

  function executeInOneCommit(requests: readonly OperationRequest[], db: OrgDb): Promise<OperationResult[]> {
    const participants = createGroupCommit(requests.length);
    return Promise.all(requests.map((request, index) => executeOperation(request, db, participants[index]!)));
  }

  return async ({ requests }, db) => {
    const batches = Array.from({ length: Math.ceil(requests.length / OPERATIONS_PER_COMMIT) }, (_, index) =>
      requests.slice(index * OPERATIONS_PER_COMMIT, (index + 1) * OPERATIONS_PER_COMMIT),
    );
    const limit = pLimit(CONCURRENT_COMMITS);
    const results = (await Promise.all(batches.map((batch) => limit(() => executeInOneCommit(batch, db))))).flat();
    await analyzeGrownTables(db, requests.length);
    return { results };
  };
}
