/** The command `npm run webhook`, against the system under test. */
import { describe, expect, test } from "@jest/globals";
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { running } from "../../test/support/running.ts";
import { webhookSecrets } from "../../test/support/settings.ts";

/** Runs the command and returns its exit code and output. */
async function run(...args: string[]): Promise<{ code: number | null; output: string }> {
  const command = spawn(process.execPath, ["-C", "source", fileURLToPath(new URL("../webhook.ts", import.meta.url)), ...args], {
    env: { PATH: process.env["PATH"], ...webhookSecrets },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [command.stdout, command.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const code = await new Promise<number | null>((resolve) => command.once("close", resolve));
  return { code, output: output.trim() };
}

describe("npm run webhook", () => {
  test.each([["payment-provider"], ["payment-provider", "charge.refunded"], ["email/inbound"], ["email/inbound", "bounced"], ["mailbox/push"]])(
    "sends a sample that is accepted: %s %s",
    async (...args) => {
      expect(await run(...args, "--url", running().baseUrl)).toEqual({ code: 0, output: '200 {"received":true}' });
    },
  );

  test("names the missing setting, and lists the receivers and events", async () => {
    expect(await run("sms/inbound", "--url", running().baseUrl)).toEqual({
      code: 1,
      output: "Set SMS_PROVIDER_AUTH_TOKEN to the value with which the system runs.",
    });
    const { code, output } = await run();
    expect(code).toBe(1);
    for (const line of ["email/inbound: received, bounced, complained", "sms/status: delivered, failed", "sms/cloud-inbound: received, subscription"])
      expect(output).toContain(line);
  });
});
