import { afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { execFile, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { seedDemo } from "../deploy/demo.ts";
import { demoLogins, demoPassword } from "../gateway/src/pages/demo-logins.ts";
import { Client } from "./support/client.ts";
import { running } from "./support/running.ts";
import { eventually } from "./support/eventually.ts";

const { baseUrl } = running();
const execute = promisify(execFile);
const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");

/** Returns an example of the README: its command and the output that it shows. */
function readExample(name: string): { command: string; expectedOutput: string } {
  const blocks = /<!-- call: (.+?) -->\s*```sh\n([^]+?)```\s*```\w*\n([^]+?)```/g;
  for (const [, title, command, expectedOutput] of readme.matchAll(blocks)) {
    if (title === name) return { command: command!.replaceAll("http://127.0.0.1:8080", baseUrl), expectedOutput: expectedOutput!.trim() };
  }
  throw new Error(`The README has no call named "${name}".`);
}

/** Converts an expected output to a pattern in which … matches any text. */
const patternOf = (expectedOutput: string) =>
  new RegExp(
    `^${expectedOutput
      .split("…")
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
      .join("[^]*?")}$`,
  );

const environment: Record<string, string> = {};
const runInShell = async (command: string): Promise<string> =>
  (await execute("bash", ["-c", command], { env: { ...process.env, ...environment } })).stdout.trim();

describe("the README's examples", () => {
  let stopListening = () => false;
  beforeAll(async () => {
    await seedDemo(baseUrl);
  });
  afterEach(() => {
    stopListening();
  });

  test("the login call returns the documented response", async () => {
    const { command, expectedOutput } = readExample("log in");
    const output = await runInShell(command);
    expect(output).toMatch(patternOf(expectedOutput));
    environment["TOKEN"] = (JSON.parse(output) as { accessToken: string }).accessToken;
  });

  test("the call that adds a property returns the documented response", async () => {
    const { command, expectedOutput } = readExample("add a property");
    expect(await runInShell(command)).toMatch(patternOf(expectedOutput));
  });

  test("the call that records a payment returns the documented response, and the stream shows its event", async () => {
    const { leases } = await new Client(baseUrl, environment["TOKEN"]).call("listLeases", { query: { status: "active" } });
    environment["LEASE"] = leases[0]!.id;
    environment["TENANT"] = leases[0]!.tenantId;
    const stream = readExample("see payment.received arrive");
    const listening = spawn("bash", ["-c", `exec ${stream.command}`], { env: { ...process.env, ...environment } });
    stopListening = () => listening.kill("SIGTERM");
    let received = "";
    listening.stdout.on("data", (chunk: Buffer) => (received += chunk.toString()));
    await eventually("stream.ready", () => received.includes("stream.ready"));
    const { command, expectedOutput } = readExample("record a payment");
    expect(await runInShell(command)).toMatch(patternOf(expectedOutput));
    await eventually("payment.received", () => received.includes('"payment.received"'));
    const heartbeat = /^:.*\n+/gm;
    expect(received.replaceAll(heartbeat, "").trim()).toMatch(patternOf(stream.expectedOutput));
  });
});

describe("the demo", () => {
  test("has an admin with a confirmed e-mail address, so that it can invite any number of people", async () => {
    await seedDemo(baseUrl);
    const { user } = await new Client(baseUrl).call("login", { body: { email: demoLogins[0]!.email, password: demoPassword } });
    expect(user.emailConfirmedAt).not.toBeNull();
  });

  test.each(demoLogins)("lets the $role sign in", async ({ role, email }) => {
    await seedDemo(baseUrl);
    const { user } = await new Client(baseUrl).call("login", { body: { email, password: demoPassword } });
    expect(user.role).toBe(role);
  });
});
