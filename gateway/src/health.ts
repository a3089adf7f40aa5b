/** Health and version of the whole system: every service with its database, NATS connection, outbox and event consumer. */
import type { Service } from "@freehold/contract/operation";
import { admins, roleRequirement } from "@freehold/contract/roles";
import { system } from "@freehold/contract/system";
import { forbidden } from "@freehold/kit/errors";
import { parseQuery } from "@freehold/kit/http/validation";
import { elapsedMs } from "@freehold/kit/observability/log";
import { readFileSync } from "node:fs";
import type { Request, RequestHandler, Response } from "express";
import { z } from "zod";
import { bearerOf, type Authenticator } from "./auth/authenticate.ts";
import type { Upstreams } from "./forwarding/forward.ts";

interface ServiceReport {
  status: "ok" | "degraded" | "down";
  postgres?: { isUp: boolean; latencyMs: number };
  nats?: { isUp: boolean };
  outboxBacklog?: number;
  consumer?: { isStalled: boolean; lag: number; stalledSeconds: number };
  schemaVersion?: string;
  integrity?: { isOk: boolean; latencyMs: number };
  problem?: string;
}
type Check = { name: string; status: ServiceReport["status"]; latencyMs: number; detail?: string };

const TIMEOUT_MS = 3_000;
/** Time for which the result of a check is shared by all callers. */
const RESULT_MS = 1_000;
const noParameters = z.strictObject({});

interface ServiceHealth {
  service: Service;
  report: ServiceReport;
  latencyMs: number;
}

async function checkReplica(service: Service, origin: string, deep: boolean): Promise<ServiceHealth> {
  const requestedAt = performance.now();
  const report = await fetch(`${origin}/health?deep=${deep}`, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: "error" })
    .then((response) => response.json() as Promise<ServiceReport>)
    .catch((): ServiceReport => ({ status: "down", problem: "does not respond" }));
  return { service, report, latencyMs: elapsedMs(requestedAt) };
}

/** Returns the worst report of the replicas that are not down, as `degraded` when another replica is down; `down` when all are. */
async function checkService(service: Service, origins: readonly string[], deep: boolean): Promise<ServiceHealth> {
  const replicas = await Promise.all(origins.map((origin) => checkReplica(service, origin, deep)));
  const representative = (["degraded", "ok", "down"] as const).flatMap((status) => replicas.filter(({ report }) => report.status === status))[0]!;
  const down = replicas.filter(({ report }) => report.status === "down");
  if (down.length === 0 || representative.report.status === "down") return representative;
  return { ...representative, report: { ...representative.report, status: "degraded", problem: `${down.length} of ${replicas.length} replicas are down` } };
}

/** Checks all services. `time` is the start of the check. */
async function checkServices(upstreams: Upstreams, deep = false): Promise<{ time: string; services: ServiceHealth[] }> {
  const time = new Date().toISOString();
  const checks = Object.entries(upstreams).map(([service, { replicas }]) =>
    checkService(
      service as Service,
      replicas.map(({ origin }) => origin),
      deep,
    ),
  );
  return { time, services: await Promise.all(checks) };
}

function toChecks({ service, report, latencyMs }: ServiceHealth): Check[] {
  const { postgres, nats, outboxBacklog, consumer, integrity, problem } = report;
  return [
    { name: service, status: report.status, latencyMs, ...(problem && { detail: problem }) },
    { name: `${service}.postgres`, status: postgres?.isUp ? "ok" : "down", latencyMs: postgres?.latencyMs ?? latencyMs },
    { name: `${service}.nats`, status: nats?.isUp ? "ok" : "degraded", latencyMs: 0 },
    {
      name: `${service}.outbox`,
      status: outboxBacklog !== undefined && outboxBacklog >= 0 && outboxBacklog < 1_000 ? "ok" : "degraded",
      latencyMs: 0,
      detail: outboxBacklog === undefined || outboxBacklog < 0 ? "number of unpublished events unknown" : `${outboxBacklog} unpublished events`,
    },
    {
      name: `${service}.consumer`,
      status: consumer && !consumer.isStalled ? "ok" : "degraded",
      latencyMs: 0,
      detail: consumer
        ? `${consumer.lag} messages to consume${consumer.isStalled ? `, without progress for ${consumer.stalledSeconds} s` : ""}`
        : "number of messages to consume unknown",
    },
    ...(integrity ? [{ name: `${service}.balance`, status: integrity.isOk ? ("ok" as const) : ("down" as const), latencyMs: integrity.latencyMs }] : []),
  ];
}

/** Wraps a check so that its callers share one run and, for a time after its end, the result. */
function shareResult<T>(check: () => Promise<T>, keptMs: number): () => Promise<T> {
  let shared: Promise<T> | undefined;
  return () => {
    shared ??= check().finally(() => {
      setTimeout(() => {
        shared = undefined;
      }, keptMs).unref();
    });
    return shared;
  };
}

/**
 * Responds with 503 when a service or its database is down. Without NATS, or while the events of a service do not advance, the
 * system is `degraded`: events are delayed. The deep check reads the whole ledger, so only admins may request it. The
 * requests of a second share one check.
 */
export function getHealth(upstreams: Upstreams, authenticator: Authenticator): RequestHandler {
  const check = shareResult(() => checkServices(upstreams), RESULT_MS);
  const checkDeeply = shareResult(() => checkServices(upstreams, true), RESULT_MS);

  const handler = async (req: Request, res: Response) => {
    const isDeep = parseQuery(system.getHealth.query, req.query).deep === true;
    if (isDeep) {
      const { principal } = await authenticator.authenticate(bearerOf(req.headers.authorization));
      if (principal.role !== "admin") throw forbidden(roleRequirement(admins, "check the ledger of every organization"));
    }
    const { time, services } = await (isDeep ? checkDeeply() : check());
    const checks = services.flatMap(toChecks);
    const status = checks.some((each) => each.status === "down") ? "down" : checks.some((each) => each.status === "degraded") ? "degraded" : "ok";
    if (status === "down") res.setHeader("Retry-After", "1");
    res.status(status === "down" ? 503 : 200).json({ status, checks, time });
  };
  return (req, res, next) => {
    handler(req, res).catch(next);
  };
}

const { version } = JSON.parse(readFileSync(new URL(import.meta.resolve("@freehold/gateway/package.json")), "utf8")) as { version: string };
const startedAt = new Date().toISOString();

/** Responds with the versions. Commit and build time come from the image; outside of an image they are "development" and the start time. */
export function getVersion(upstreams: Upstreams): RequestHandler {
  const check = shareResult(() => checkServices(upstreams), RESULT_MS);
  return (req, res, next) => {
    parseQuery(noParameters, req.query);
    check()
      .then(({ services }) => {
        const schemaVersion = services.map(({ service, report }) => `${service}:${report.schemaVersion ?? "?"}`).join(" ");
        res.json({
          version,
          commit: process.env["BUILD_COMMIT"] || "development",
          builtAt: process.env["BUILD_TIME"] || startedAt,
          apiVersion: "0.1.0",
          schemaVersion,
        });
      })
      .catch(next);
  };
}
