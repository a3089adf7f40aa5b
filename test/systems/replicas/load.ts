/** Steady load on several gateways, balanced round-robin over the ready ones. */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { operationsById, type OperationId } from "@freehold/contract";
import type { Replica, Upstream } from "../../../gateway/src/forwarding/upstream.ts";
import { aPayment, type Tenancy } from "../../support/tenancy.ts";
import { sized } from "../../support/proof.ts";

export interface Outcome {
  operation: string;
  /** Status of the last attempt. Undefined when there was no response. */
  status: number | undefined;
  attempts: number;
}

export interface LoadOptions {
  gateways: Upstream;
  /** Access tokens used in turn, so that each user stays far below its rate limit. */
  tokens: readonly string[];
  /** Tenancies read and written in turn, so that requests do not all contend for one row. */
  tenancies: readonly Tenancy[];
  /** Requests per second, at most. */
  perSecond: number;
  /** Maximum retries of a request after a 503 or no response. */
  retries: number;
}

interface Request {
  operation: OperationId;
  params?: Record<string, string>;
  body?: unknown;
}

/**
 * Maximum number of requests in flight. It does not exceed the database connections of one replica, so that a busy machine slows
 * the load down and no request is refused because it waited too long for a connection. The small size also runs on machines where
 * other programs take most of the processor time.
 */
const MAX_IN_FLIGHT = sized(4, 10);

/** Sends reads and writes to the services at a steady rate, or slower while too many are in flight. `stop` returns every outcome. */
export function startLoad(options: LoadOptions): { stop(): Promise<Outcome[]> } {
  const outcomes: Promise<Outcome>[] = [];
  const inFlight = new Set<Promise<unknown>>();
  let isStopped = false;
  const sendLoop = (async () => {
    const intervalMs = 1000 / options.perSecond;
    let nextAt = performance.now();
    for (let count = 0; !isStopped; count++) {
      const token = options.tokens[count % options.tokens.length]!;
      const outcome = sendWithRetries(options, token, requestMix[count % requestMix.length]!(options.tenancies[count % options.tenancies.length]!));
      outcomes.push(outcome);
      const pending: Promise<unknown> = outcome.finally(() => inFlight.delete(pending));
      inFlight.add(pending);
      if (inFlight.size >= MAX_IN_FLIGHT) await Promise.race(inFlight);
      nextAt = Math.max(nextAt + intervalMs, performance.now());
      await sleep(nextAt - performance.now());
    }
  })();
  return {
    stop: async () => {
      isStopped = true;
      await sendLoop;
      return Promise.all(outcomes);
    },
  };
}

/** Requests that are sent in turn. */
const requestMix: ((tenancy: Tenancy) => Request)[] = [
  ({ propertyId }) => ({ operation: "getProperty", params: { id: propertyId } }),
  (tenancy) => ({ operation: "recordPayment", body: aPayment(tenancy, 100) }),
  () => ({ operation: "getOrganization" }),
  ({ propertyId }) => ({ operation: "updateProperty", params: { id: propertyId }, body: { name: `Elm Street ${randomUUID()}` } }),
  () => ({ operation: "listNotifications" }),
  () => ({ operation: "listCharges" }),
];

async function sendWithRetries({ gateways, retries }: LoadOptions, token: string, request: Request): Promise<Outcome> {
  for (let attempts = 1; ; attempts++) {
    const gateway = gateways.next();
    const status = await send(gateway, token, request).catch(() => {
      gateways.markUnhealthy(gateway);
      return undefined;
    });
    const isRetryable = status === undefined || status === 503;
    if (!isRetryable || attempts > retries) return { operation: request.operation, status, attempts };
    await sleep(1_000);
  }
}

async function send({ json: connections }: Replica, token: string, { operation, params = {}, body }: Request): Promise<number> {
  const { method, path } = operationsById[operation];
  const response = await connections.request({
    method,
    path: path.replace(/\{(\w+)\}/g, (_, name: string) => params[name]!),
    headers: { Authorization: `Bearer ${token}`, ...(body !== undefined && { "Content-Type": "application/json" }) },
    body: body === undefined ? null : JSON.stringify(body),
  });
  await response.body.dump();
  return response.statusCode;
}
