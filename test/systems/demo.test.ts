/** Demo of `npm start`: seeded once, completed by the next start after an interruption, and named in the banner only where it is. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { childrenOf } from "../../deploy/system/command-line.ts";
import { freePorts } from "../../deploy/system/ports.ts";
import { demoLogins, demoPassword } from "../../gateway/src/pages/demo-logins.ts";
import { Client } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";

const TIMEOUT_MS = 300_000;
const dataDir = mkdtempSync(join(tmpdir(), "freehold-demo-"));
const root = fileURLToPath(new URL("../..", import.meta.url));
let baseUrl: string;
let port: number;
let launcher: ChildProcess | undefined;
let output = "";

beforeAll(async () => {
  [port] = (await freePorts(1)) as [number];
  baseUrl = `http://127.0.0.1:${port}`;
});
afterEach(() => stop("SIGTERM"), TIMEOUT_MS);
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

function start(environment: Record<string, string> = {}): void {
  output = "";
  launcher = spawn(process.execPath, ["-C", "source", join(root, "deploy/start.ts")], {
    env: { ...process.env, DATA_DIR: dataDir, PORT: String(port), SIGN_IN_ATTEMPTS: "0", ...environment },
    stdio: ["ignore", "pipe", "inherit"],
  });
  launcher.stdout!.on("data", (chunk: Buffer) => (output += chunk.toString()));
}

async function stop(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
  if (!launcher) return;
  const exited = once(launcher, "exit");
  launcher.kill(signal);
  launcher = undefined;
  await exited;
}

/** Returns true unless a process has ended, also when nobody has asked for its exit code. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

const isReady = () => output.includes("Freehold is ready");
const logIn = (email: string) => new Client(baseUrl).call("login", { body: { email, password: demoPassword } });

describe("the demo of npm start", () => {
  test(
    "whose launcher was killed takes all processes along, and is completed by the next start, without duplicates, and the start after that does not seed it",
    async () => {
      start();
      await eventually("a user who has accepted an invite", () => logIn("manager@demo.example").catch(() => undefined), TIMEOUT_MS);
      const started = [launcher!.pid!, ...childrenOf(launcher!.pid!)];
      expect(started.length).toBeGreaterThanOrEqual(1 + 8);
      await stop("SIGKILL");
      await eventually("end of PostgreSQL, NATS and all processes", () => started.every((pid) => !isRunning(pid)));

      start();
      await eventually("ready", isReady, TIMEOUT_MS);
      const roles = await Promise.all(demoLogins.map(async ({ email }) => (await logIn(email)).user.role));
      expect(roles).toEqual(demoLogins.map(({ role }) => role));
      const { accessToken } = await logIn(demoLogins[0]!.email);
      const client = new Client(baseUrl, accessToken);
      const lists = ["listOwners", "listVendors", "listProperties", "listUnits", "listTenants", "listLeases", "listWorkOrders", "listPayments"] as const;
      const totals = await Promise.all(lists.map(async (list) => (await client.call(list)).total));
      expect(totals).toEqual([1, 1, 1, 4, 1, 1, 1, 1]);
      await stop("SIGTERM");

      start();
      await eventually("ready", isReady, TIMEOUT_MS);
      expect(output).not.toContain("Seeding");
      expect(output).toMatch(/Start +http.*\n.*API[^]*Outbox[^]*admin@demo\.example/);
    },
    TIMEOUT_MS * 3,
  );

  test(
    "that is turned off is neither seeded nor named in the banner",
    async () => {
      start({ SEED_DEMO: "false", DEV_OUTBOX: "false" });
      await eventually("ready", isReady, TIMEOUT_MS);
      expect(output).not.toMatch(/Seeding|api\/dev\/outbox|demo\.example|curl/);
    },
    TIMEOUT_MS,
  );
});
