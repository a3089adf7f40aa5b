import { describe, expect, test } from "@jest/globals";
import { startServiceProcess } from "../../../../test/support/service-process.ts";

describe("listDevOutbox", () => {
  test.each([
    [404, { DEV_OUTBOX: "" }],
    [404, { DEV_OUTBOX: "false" }],
    [200, { DEV_OUTBOX: "true" }],
  ])("responds %d in a process with %j", async (status, settings) => {
    const communications = await startServiceProcess("communications", settings);
    try {
      const response = await fetch(`${communications.baseUrl}/api/dev/outbox`);
      expect([response.status, await response.json()]).toMatchObject([status, status === 404 ? { code: "not_found" } : { messages: expect.any(Array) }]);
    } finally {
      await communications.end("SIGTERM");
    }
  });
});
