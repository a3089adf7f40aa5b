/** What the gateway says of the whole: every service and what it stands on. */
import type { Service } from "@freehold/contract/operation";
import { system } from "@freehold/contract/system";
import { parse } from "@freehold/kit/http/validation";
import { readFileSync } from "node:fs";
import type { RequestHandler } from "express";
import { z } from "zod";
import type { Upstreams } from "./forward.ts";

interface Answer {
  status: "ok" | "degraded" | "down";
  postgres?: { isUp: boolean; latencyMs: number };
  nats?: { isUp: boolean };
  outboxBacklog?: number;
  schemaVersion?: string;
  problem?: string;
}
type Check = { name: string; status: Answer["status"]; latencyMs: number; detail?: string };

const TIMEOUT_MS = 3_000;
const nothing = z.strictObject({});

interface Asked {
  service: Service;
  answer: Answer;
  latencyMs: number;
}

async function ask(service: Service, origin: string, deep: boolean): Promise<Asked> {
  const started = performance.now();
  const answer = await fetch(`${origin}/health?deep=${deep}`, { signal: AbortSignal.timeout(TIMEOUT_MS) })
    .then((response) => response.json() as Promise<Answer>)
    .catch((): Answer => ({ status: "down", problem: "does not answer" }));
  return { service, answer, latencyMs: Math.round((performance.now() - started) * 10) / 10 };
}

/** A service is as well as its best replica, and degraded when another is worse. */
async function askReplicas(service: Service, origins: readonly string[], deep: boolean): Promise<Asked> {
  const asked = await Promise.all(origins.map((origin) => ask(service, origin, deep)));
  const best = (["ok", "degraded", "down"] as const).flatMap((status) => asked.filter(({ answer }) => answer.status === status))[0]!;
  const down = asked.filter(({ answer }) => answer.status === "down");
  if (down.length === 0 || best.answer.status === "down") return best;
  return { ...best, answer: { ...best.answer, status: "degraded", problem: `${down.length} of ${asked.length} replicas are down` } };
}

const askAll = (upstreams: Upstreams, deep = false) =>
  Promise.all(
    Object.entries(upstreams).map(([service, { replicas }]) =>
      askReplicas(
        service as Service,
        replicas.map(({ origin }) => origin),
        deep,
      ),
    ),
  );

function checksOf({ service, answer, latencyMs }: Asked): Check[] {
  const { postgres, nats, outboxBacklog, problem } = answer;
  return [
    { name: service, status: answer.status, latencyMs, ...(problem && { detail: problem }) },
    { name: `${service}.postgres`, status: postgres?.isUp ? "ok" : "down", latencyMs: postgres?.latencyMs ?? latencyMs },
    { name: `${service}.nats`, status: nats?.isUp ? "ok" : "degraded", latencyMs: 0 },
    {
      name: `${service}.outbox`,
      status: outboxBacklog !== undefined && outboxBacklog >= 0 && outboxBacklog < 1_000 ? "ok" : "degraded",
      latencyMs: 0,
      detail: `${outboxBacklog ?? "?"} events wait`,
    },
  ];
}

/** 503 only when something is down; without NATS the system still keeps every promise but the speed of events. */
export const getHealth =
  (upstreams: Upstreams): RequestHandler =>
  (req, res, next) => {
    askAll(upstreams, parse(system.getHealth.query, req.query).deep === true)
      .then((answers) => {
        const checks = answers.flatMap(checksOf);
        const status = checks.some((check) => check.status === "down") ? "down" : checks.some((check) => check.status === "degraded") ? "degraded" : "ok";
        res.status(status === "down" ? 503 : 200).json({ status, checks, time: new Date().toISOString() });
      })
      .catch(next);
  };

const { version } = JSON.parse(readFileSync(new URL(import.meta.resolve("@freehold/gateway/package.json")), "utf8")) as { version: string };
const startedAt = new Date().toISOString();

/** Commit and build time are those that the image was built with, else "development" and the start. */
export const getVersion =
  (upstreams: Upstreams): RequestHandler =>
  (req, res, next) => {
    parse(nothing, req.query);
    askAll(upstreams)
      .then((answers) => {
        const schemaVersion = answers.map(({ service, answer }) => `${service}:${answer.schemaVersion ?? "?"}`).join(" ");
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
