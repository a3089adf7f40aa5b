/** A steady load on several gateways, sent as a load balancer and its callers do: in turn, and to none that says it is not ready. */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { operationsById, type OperationId } from "@freehold/contract";
import type { Replica, Upstream } from "../../../gateway/src/upstream.ts";
import { aPayment, type Tenancy } from "../../support/tenancy.ts";

export interface Outcome {
  operation: string;
  /** Undefined when there was no answer at all. */
  status: number | undefined;
  attempts: number;
}

export interface LoadOptions {
  gateways: Upstream;
  /** Whose requests they are, in turn: each keeps far below what one user may send. */
  tokens: readonly string[];
  /** What is read and written, in turn: callers of a real office do not all change the same row. */
  tenancies: readonly Tenancy[];
  perSecond: number;
  /** How often a caller tries once more, as it was told, where it may. */
  retries: number;
}

interface Request {
  operation: OperationId;
  params?: Record<string, string>;
  body?: unknown;
}

/** Sends reads and writes of every service at a steady rate until it is stopped; answers what became of each. */
export function startLoad(options: LoadOptions): { stop(): Promise<Outcome[]> } {
  const outcomes: Promise<Outcome>[] = [];
  let isOver = false;
  const sending = (async () => {
    const started = performance.now();
    for (let sent = 0; !isOver; sent++) {
      const token = options.tokens[sent % options.tokens.length]!;
      outcomes.push(sendWithRetries(options, token, mix[sent % mix.length]!(options.tenancies[sent % options.tenancies.length]!)));
      await sleep(Math.max(0, started + ((sent + 1) * 1000) / options.perSecond - performance.now()));
    }
  })();
  return {
    stop: async () => {
      isOver = true;
      await sending;
      return Promise.all(outcomes);
    },
  };
}

const mix: ((tenancy: Tenancy) => Request)[] = [
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
    const mayHeal = status === undefined || status === 503;
    if (!mayHeal || attempts > retries) return { operation: request.operation, status, attempts };
    await sleep(1_000);
  }
}

async function send({ pool }: Replica, token: string, { operation: what, params = {}, body }: Request): Promise<number> {
  const { method, path } = operationsById[what];
  const answer = await pool.request({
    method,
    path: path.replace(/\{(\w+)\}/g, (_, name: string) => params[name]!),
    headers: { Authorization: `Bearer ${token}`, ...(body !== undefined && { "Content-Type": "application/json" }) },
    body: body === undefined ? null : JSON.stringify(body),
  });
  await answer.body.dump();
  return answer.statusCode;
}
