import { describe, expect, test } from "@jest/globals";
import { messageRoutes } from "./messages.routes.ts";

describe("listDevOutbox", () => {
  test("responds 404 without a development outbox", async () => {
    const { handlers } = messageRoutes(undefined);
    await expect(handlers["listDevOutbox"]!({ query: {} } as never)).rejects.toMatchObject({ status: 404, code: "not_found" });
  });
});
