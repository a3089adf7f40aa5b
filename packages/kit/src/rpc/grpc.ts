/**
 * gRPC between services: batched calls, made before a transaction and never inside one. Each call carries the signed
 * assertion, the request id and a deadline; errors arrive with the status and message they were thrown with. A response
 * that may exceed the size of a message is a stream: its handler returns the messages, and its caller receives them all.
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
  type ClientReadableStream,
  type handleServerStreamingCall,
  type handleUnaryCall,
  type ServerUnaryCall,
  type ServerWritableStream,
  type ServiceDefinition,
  type ServiceError,
} from "@grpc/grpc-js";
import { HealthImplementation } from "grpc-health-check";
import { ASSERTION_HEADER, REQUEST_HEADER, type Assertions } from "../auth/assertion.ts";
import type { Principal } from "../auth/principal.ts";
import { OrgDb, type Database } from "../db/org-db.ts";
import { ApiError, toApiError, unavailable } from "../errors.ts";
import type { Logger } from "../observability/log.ts";
import type { Metrics } from "../observability/metrics.ts";
import { TRACE_HEADER, traceParent, withSpan } from "../observability/tracing.ts";

/** Longer than the statement and lock timeouts, so that the called service responds with its own error first. */
const DEADLINE_MS = 10_000;
const SHUTDOWN_MS = 5_000;
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

/** The handlers of a service: functions of the request and the `OrgDb` of the calling principal. */
export type GrpcHandlers<S> = {
  [K in keyof S as string extends K ? never : number extends K ? never : K]: S[K] extends handleUnaryCall<infer Request, infer Response>
    ? (request: Request, db: OrgDb) => Promise<Response>
    : S[K] extends handleServerStreamingCall<infer Request, infer Response>
      ? (request: Request, db: OrgDb) => Promise<Response[]>
      : never;
};

export interface GrpcService {
  definition: ServiceDefinition;
  /** Names of the services that may call it. */
  callers: readonly string[];
  handlers: Record<string, (request: never, db: OrgDb) => Promise<unknown>>;
}

/** Pairs a generated service definition with its callers and its handlers; a missing or misspelt handler does not compile. */
export const grpcService = <S>(definition: ServiceDefinition, callers: readonly string[], handlers: GrpcHandlers<S>): GrpcService => ({
  definition,
  callers,
  handlers: handlers as unknown as GrpcService["handlers"],
});

export interface GrpcServerOptions {
  service: GrpcService | undefined;
  address: string;
  database: Database;
  assertions: Assertions;
  log: Logger;
  metrics: Metrics;
}

/** Serializes an error into the status and metadata of a gRPC response. */
function toServiceError(thrown: unknown, log: Logger, call: { method: string; requestId: string | null }): Partial<ServiceError> {
  const error = toApiError(thrown);
  if (error.status === 500) log.error({ err: error.cause ?? thrown, ...call }, "a gRPC call failed");
  if (error.status === 503) log.warn({ err: error.cause ?? thrown, ...call }, "a gRPC call is unavailable");
  const { status, message, code, errors } = error;
  const metadata = new Metadata();
  metadata.set(ERROR_METADATA, encodeURIComponent(JSON.stringify({ status, message, code, errors })));
  return { code: codes[status] ?? Code.INTERNAL, details: message, metadata };
}

type ServerCall = Pick<ServerUnaryCall<never, unknown>, "metadata" | "request">;

/**
 * Returns a function that verifies the assertion of a call and runs its handler in the organization of the principal. It rejects with the
 * error of the gRPC response.
 */
function handlerOf(method: string, { callers, handlers }: GrpcService, options: GrpcServerOptions): (call: ServerCall) => Promise<unknown> {
  const { database, assertions, log, metrics } = options;
  const handler = handlers[method]!;
  return async ({ metadata, request }) => {
    const started = performance.now();
    const header = (name: string) => metadata.get(name)[0]?.toString();
    const requestId = header(REQUEST_HEADER) ?? null;
    const run = async () => {
      const { principal, clientAddress } = await assertions.verify(header(ASSERTION_HEADER), callers);
      if (!principal) throw new Error("The assertion of the calling service has no principal.");
      return handler(request, new OrgDb(database, principal, { requestId, clientAddress }));
    };
    try {
      const response = await withSpan({ name: method, kind: "server", parent: header(TRACE_HEADER) }, run);
      metrics.rpc(method, true, performance.now() - started);
      return response;
    } catch (error) {
      metrics.rpc(method, false, performance.now() - started);
      throw toServiceError(error, log, { method, requestId });
    }
  };
}

const unaryHandler =
  (handle: ReturnType<typeof handlerOf>): handleUnaryCall<never, unknown> =>
  (call, callback) =>
    void handle(call).then(
      (response) => callback(null, response),
      (error: Partial<ServiceError>) => callback(error),
    );

const streamHandler =
  (handle: ReturnType<typeof handlerOf>): handleServerStreamingCall<never, unknown> =>
  (call: ServerWritableStream<never, unknown>) =>
    void handle(call).then(
      (messages) => {
        for (const message of messages as unknown[]) call.write(message);
        call.end();
      },
      (error: Partial<ServiceError>) => call.emit("error", error),
    );

/** Starts the gRPC server of a process, with the standard health service. */
export async function startGrpcServer(options: GrpcServerOptions) {
  const { service } = options;
  const server = new Server();
  const health = new HealthImplementation({ "": "SERVING" });
  health.addToServer(server);
  if (service) {
    const handlers = Object.keys(service.handlers).map((method) => {
      const handle = handlerOf(method, service, options);
      return [method, service.definition[method]!.responseStream ? streamHandler(handle) : unaryHandler(handle)] as const;
    });
    server.addService(service.definition, Object.fromEntries(handlers) as never);
  }
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(options.address, ServerCredentials.createInsecure(), (error, bound) => (error ? reject(error) : resolve(bound)));
  });
  return {
    port,
    /** Reports NOT_SERVING, so that clients use other replicas. */
    drain: () => health.setStatus("", "NOT_SERVING"),
    close: () =>
      new Promise<void>((resolve) => {
        const force = setTimeout(() => server.forceShutdown(), SHUTDOWN_MS);
        server.tryShutdown(() => {
          clearTimeout(force);
          resolve();
        });
      }),
  };
}

type StreamMethod = (request: never, metadata: Metadata, options: { deadline: Date }) => ClientReadableStream<unknown>;

type UnaryMethod = (
  request: never,
  metadata: Metadata,
  options: { deadline: Date },
  callback: (error: ServiceError | null, response: never) => void,
) => unknown;

/** Properties of the caller that a gRPC call carries. */
export interface GrpcCaller {
  principal: Principal;
  requestId: string | null;
  /** Network address of the caller of the API, undefined for a service's own work. */
  clientAddress?: string | undefined;
}

/** A generated client whose methods take the caller and return promises. */
export type GrpcClient<C extends Client> = {
  [K in Exclude<keyof C, keyof Client>]: C[K] extends (
    request: infer Request,
    metadata: Metadata,
    options: Partial<CallOptions>,
  ) => ClientReadableStream<infer Response>
    ? (caller: GrpcCaller, request: Request) => Promise<Response[]>
    : C[K] extends (
          request: infer Request,
          metadata: Metadata,
          options: Partial<CallOptions>,
          callback: (error: ServiceError | null, response: infer Response) => void,
        ) => unknown
      ? (caller: GrpcCaller, request: Request) => Promise<Response>
      : never;
} & { close(): void };

function fromServiceError(error: ServiceError): ApiError {
  const serialized = error.metadata?.get(ERROR_METADATA)[0]?.toString();
  if (!serialized) return unavailable(error);
  const { status, message, ...rest } = JSON.parse(decodeURIComponent(serialized)) as { status: number; message: string };
  return new ApiError(status, message, rest);
}

const receiveAll = <Message>(stream: ClientReadableStream<Message>): Promise<Message[]> =>
  stream.toArray().catch((error: unknown) => {
    throw fromServiceError(error as ServiceError);
  }) as Promise<Message[]>;

function callMetadata(assertion: string, requestId: string | null): Metadata {
  const metadata = new Metadata();
  metadata.set(ASSERTION_HEADER, assertion);
  if (requestId) metadata.set(REQUEST_HEADER, requestId);
  const trace = traceParent();
  if (trace) metadata.set(TRACE_HEADER, trace);
  return metadata;
}

const channelOptions: ClientOptions = {
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
};

/** Creates a client of another service. Calls are signed, retried while the service is unavailable, and end after ten seconds. */
export function grpcClient<C extends Client>(
  ClientClass: { service: ServiceDefinition } & (new (address: string, creds: ReturnType<typeof credentials.createInsecure>, options: ClientOptions) => C),
  address: string,
  assertions: Assertions,
): GrpcClient<C> {
  const client = new ClientClass(address, credentials.createInsecure(), channelOptions);
  const call = async (name: string, { principal, requestId, clientAddress }: GrpcCaller, request: never) => {
    const assertion = await assertions.sign({ principal, clientAddress });
    const method = (client as unknown as Record<string, UnaryMethod & StreamMethod>)[name]!.bind(client);
    return withSpan({ name, kind: "client" }, () => {
      const metadata = callMetadata(assertion, requestId);
      const options = { deadline: new Date(Date.now() + DEADLINE_MS) };
      if (ClientClass.service[name]!.responseStream) return receiveAll(method(request, metadata, options));
      return new Promise((resolve, reject) => {
        method(request, metadata, options, (error, response) => (error ? reject(fromServiceError(error)) : resolve(response)));
      });
    });
  };
  return new Proxy({} as GrpcClient<C>, {
    get: (_, name: string) => (name === "close" ? () => client.close() : (caller: GrpcCaller, request: never) => call(name, caller, request)),
  });
}
