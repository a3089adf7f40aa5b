import { describe, expect, test } from "@jest/globals";
import { readSecrets } from "../../../../deploy/system/secrets.ts";
import { running } from "../../../../test/support/running.ts";
import { startServiceProcess } from "../../../../test/support/service-process.ts";
import { webhookSecrets } from "../../../../test/support/settings.ts";

describe("listDevOutbox", () => {
  test("responds 404 in a process without the setting DEV_OUTBOX", async () => {
    const communications = await startServiceProcess("communications", {
      ...webhookSecrets,
      DEV_OUTBOX: "",
      COMMUNICATIONS_ENCRYPTION_KEY: readSecrets(running().dataDir).mailEncryptionKey,
    });
    try {
      const response = await fetch(`${communications.baseUrl}/api/dev/outbox`);
      expect([response.status, await response.json()]).toMatchObject([404, { code: "not_found" }]);
    } finally {
      await communications.end("SIGTERM");
    }
  });
});
