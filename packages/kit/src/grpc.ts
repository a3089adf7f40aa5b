/**
 * Services ask each other over gRPC, in batches, before a transaction and never inside one. The sealed scope, the
 * request id and a deadline travel along; errors come back with the status and words they were thrown with.
 */
import {
  credentials,
  Metadata,
  Server,
  ServerCredentials,
  status as Code,
  type CallOptions,
  type Client,
  type ClientOptions,
  type handleUnaryCall,
  type ServerUnaryCall,
  type ServiceDefinition,
  type ServiceError,
} from "@grpc/grpc-js";
import { HealthImplementation } from "grpc-health-check";
import { OrgDb, type Database } from "./db.ts";
import { ApiError, toApiError, unavailable } from "./errors.ts";
import type { Logger } from "./log.ts";
import type { Metrics } from "./metrics.ts";
import { REQUEST_HEADER, SCOPE_HEADER, type Scope, type Seals } from "./scope.ts";
import { TRACE_HEADER, traced, traceParent } from "./tracing.ts";

const DEADLINE_MS = 5_000;
const ERROR_METADATA = "x-freehold-error";

const codes: Record<number, Code> = {
  400: Code.INVALID_ARGUMENT,
  401: Code.UNAUTHENTICATED,
  403: Code.PERMISSION_DENIED,
  404: Code.NOT_FOUND,
  409: Code.FAILED_PRECONDITION,
  412: Code.ABORTED,
  429: Code.RESOURCE_EXHAUSTED,
  503: Code.UNAVAILABLE,
};

/** The questions of a service, answered by functions of the request and the asker's `OrgDb`. */
export type Answers<S> = {
  [K in keyof S as string extends K ? never : number extends K ? never : K]: S[K] extends handleUnaryCall<infer Q, infer A>
    ? (request: Q, db: OrgDb) => Promise<A>
    : never;
};

export interface GrpcDoor {
  definition: ServiceDefinition;
  answers: Record<string, (request: never, db: OrgDb) => Promise<unknown>>;
}

/** Pairs a generated service definition with its answers; a missing or misspelt one does not compile. */
export const grpcDoor = <S>(definition: ServiceDefinition, answers: Answers<S>): GrpcDoor => ({
  definition,
  answers: answers as unknown as GrpcDoor["answers"],
});

function failure(error: unknown, log: Logger, asked: { question: string; requestId: string | null }): Partial<ServiceError> {
  const known = toApiError(error);
  if (known.status === 500) log.error({ err: known.cause ?? error, ...asked }, "a question failed");
  if (known.status === 503) log.warn({ err: known.cause ?? error, ...asked }, "a question cannot be answered now");
  const metadata = new Metadata();
  metadata.set(ERROR_METADATA, encodeURIComponent(JSON.stringify({ status: known.status, message: known.message, code: known.code, errors: known.errors })));
  return { code: codes[known.status] ?? Code.INTERNAL, details: known.message, metadata };
}

export interface GrpcOptions {
  door: GrpcDoor | undefined;
  address: string;
  database: Database;
  seals: Seals;
  log: Logger;
  metrics: Metrics;
}

/** Answers one question: opens the seal, finds the answer inside the asker's organization, and says how it went. */
function answering(question: string, answer: GrpcDoor["answers"][string], { database, seals, log, metrics }: GrpcOptions): handleUnaryCall<never, unknown> {
  return (call: ServerUnaryCall<never, unknown>, callback) => {
    const started = performance.now();
    const header = (name: string) => call.metadata.get(name)[0]?.toString();
    const requestId = header(REQUEST_HEADER) ?? null;
    const answered = async () => answer(call.request, new OrgDb(database, await seals.open(header(SCOPE_HEADER)), { requestId }));
    traced({ name: question, kind: "server", parent: header(TRACE_HEADER) }, answered).then(
      (result) => {
        metrics.question(question, true, performance.now() - started);
        callback(null, result);
      },
      (error: unknown) => {
        metrics.question(question, false, performance.now() - started);
        callback(failure(error, log, { question, requestId }));
      },
    );
  };
}

export async function serveGrpc(options: GrpcOptions) {
  const { door } = options;
  const server = new Server();
  const health = new HealthImplementation({ "": "SERVING" });
  health.addToServer(server);
  if (door) {
    const handlers = Object.entries(door.answers).map(([name, answer]) => [name, answering(name, answer, options)] as const);
    server.addService(door.definition, Object.fromEntries(handlers) as never);
  }
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(options.address, ServerCredentials.createInsecure(), (error, bound) => (error ? reject(error) : resolve(bound)));
  });
  return {
    port,
    /** Tells health checks to send nobody here any more. */
    retire: () => health.setStatus("", "NOT_SERVING"),
    close: () =>
      new Promise<void>((resolve) => {
        const force = setTimeout(() => server.forceShutdown(), 5_000);
        server.tryShutdown(() => {
          clearTimeout(force);
          resolve();
        });
      }),
  };
}

type Method = (request: never, metadata: Metadata, options: { deadline: Date }, callback: (error: ServiceError | null, answer: never) => void) => unknown;
export type Asker<C extends Client> = {
  [K in Exclude<keyof C, keyof Client>]: C[K] extends (
    request: infer Q,
    metadata: Metadata,
    options: Partial<CallOptions>,
    callback: (error: ServiceError | null, answer: infer A) => void,
  ) => unknown
    ? (asker: { scope: Scope; requestId: string | null }, request: Q) => Promise<A>
    : never;
} & { close(): void };

function asApiError(error: ServiceError): ApiError {
  const carried = error.metadata?.get(ERROR_METADATA)[0]?.toString();
  if (!carried) return unavailable(error);
  const { status, message, ...rest } = JSON.parse(decodeURIComponent(carried)) as { status: number; message: string };
  return new ApiError(status, message, rest);
}

/** A client whose methods are `(asker, request) => Promise<answer>`, sealed and bounded in time. */
export function asker<C extends Client>(
  ClientClass: new (address: string, creds: ReturnType<typeof credentials.createInsecure>, options: ClientOptions) => C,
  address: string,
  seals: Seals,
): Asker<C> {
  const client = new ClientClass(address, credentials.createInsecure(), {
    "grpc.keepalive_time_ms": 30_000,
    "grpc.initial_reconnect_backoff_ms": 200,
    "grpc.max_reconnect_backoff_ms": 1_000,
    "grpc.service_config": JSON.stringify({
      loadBalancingConfig: [{ round_robin: {} }],
      methodConfig: [
        {
          name: [{}],
          retryPolicy: { maxAttempts: 3, initialBackoff: "0.1s", maxBackoff: "0.5s", backoffMultiplier: 2, retryableStatusCodes: ["UNAVAILABLE"] },
        },
      ],
    }),
  });
  return new Proxy({} as Asker<C>, {
    get: (_, name: string) => {
      if (name === "close") return () => client.close();
      return async ({ scope, requestId }: { scope: Scope; requestId: string | null }, request: never) => {
        const assertion = await seals.seal(scope);
        const method = (client as unknown as Record<string, Method>)[name]!.bind(client) as Method;
        return traced({ name, kind: "client" }, () => {
          const metadata = new Metadata();
          metadata.set(SCOPE_HEADER, assertion);
          if (requestId) metadata.set(REQUEST_HEADER, requestId);
          const trace = traceParent();
          if (trace) metadata.set(TRACE_HEADER, trace);
          return new Promise((resolve, reject) => {
            method(request, metadata, { deadline: new Date(Date.now() + DEADLINE_MS) }, (error, answer) =>
              error ? reject(asApiError(error)) : resolve(answer),
            );
          });
        });
      };
    },
  });
}
