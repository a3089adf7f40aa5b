import { randomBytes } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { startServiceProcess } from "../../../../test/support/service-process.ts";

describe("listDevOutbox", () => {
  test("responds 404 in a process without the setting DEV_OUTBOX", async () => {
    const communications = await startServiceProcess("communications", {
      DEV_OUTBOX: "",
      COMMUNICATIONS_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
    });
    try {
      const response = await fetch(`${communications.baseUrl}/api/dev/outbox`);
      expect([response.status, await response.json()]).toMatchObject([404, { code: "not_found" }]);
    } finally {
      await communications.end("SIGTERM");
    }
  });
});
