import { afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { execFile, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { demoLogins, demoPassword, seedDemo } from "../deploy/demo.ts";
import { Client } from "./support/client.ts";
import { running } from "./support/running.ts";

const { baseUrl } = running();
const run = promisify(execFile);
const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");

/** Returns a command of the README and its shown output. */
function exampleOf(name: string): { command: string; shown: string } {
  const blocks = /<!-- call: (.+?) -->\s*```sh\n([^]+?)```\s*```\w*\n([^]+?)```/g;
  for (const [, title, command, shown] of readme.matchAll(blocks)) {
    if (title === name) return { command: command!.replaceAll("http://127.0.0.1:8080", baseUrl), shown: shown!.trim() };
  }
  throw new Error(`The README has no call named "${name}".`);
}

/** Converts shown output to a pattern in which … matches any text. */
const pattern = (shown: string) =>
  new RegExp(
    `^${shown
      .split("…")
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
      .join("[^]*?")}$`,
  );

const environment: Record<string, string> = {};
const shell = async (command: string): Promise<string> => (await run("bash", ["-c", command], { env: { ...process.env, ...environment } })).stdout.trim();

describe("the README's examples", () => {
  let stopListening = () => false;
  beforeAll(async () => {
    await seedDemo(baseUrl);
  });
  afterEach(() => {
    stopListening();
  });

  test("log in", async () => {
    const { command, shown } = exampleOf("log in");
    const output = await shell(command);
    expect(output).toMatch(pattern(shown));
    environment["TOKEN"] = (JSON.parse(output) as { accessToken: string }).accessToken;
  });

  test("add a property", async () => {
    const { command, shown } = exampleOf("add a property");
    expect(await shell(command)).toMatch(pattern(shown));
  });

  test("record a payment, and see it arrive", async () => {
    const { leases } = await new Client(baseUrl, environment["TOKEN"]).call("listLeases", { query: { status: "active" } });
    environment["LEASE"] = leases[0]!.id;
    environment["TENANT"] = leases[0]!.tenantId;
    const stream = exampleOf("see payment.received arrive");
    const listening = spawn("bash", ["-c", `exec ${stream.command}`], { env: { ...process.env, ...environment } });
    stopListening = () => listening.kill("SIGTERM");
    let received = "";
    listening.stdout.on("data", (chunk: Buffer) => (received += chunk.toString()));
    while (!received.includes("stream.ready")) await sleep(20);
    const { command, shown } = exampleOf("record a payment");
    expect(await shell(command)).toMatch(pattern(shown));
    while (!received.includes('"payment.received"')) await sleep(20);
    const heartbeats = /^:.*\n+/gm;
    expect(received.replaceAll(heartbeats, "").trim()).toMatch(pattern(stream.shown));
  });
});

describe("the demo", () => {
  test.each(demoLogins)("lets the $role sign in", async ({ role, email }) => {
    await seedDemo(baseUrl);
    const { user } = await new Client(baseUrl).call("login", { body: { email, password: demoPassword } });
    expect(user.role).toBe(role);
  });
});
