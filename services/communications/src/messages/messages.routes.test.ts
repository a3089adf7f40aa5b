import { describe, expect, test } from "@jest/globals";
import { messageRoutes } from "./messages.routes.ts";

describe("listDevOutbox", () => {
  test("does not exist where there is a mail server or nobody asked for an outbox", async () => {
    const { handlers } = messageRoutes(undefined);
    await expect(handlers["listDevOutbox"]!({ query: {} } as never)).rejects.toMatchObject({ status: 404, code: "not_found" });
  });
});
