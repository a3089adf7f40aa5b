import { describe, expect, test } from "@jest/globals";
import { Client } from "./support/client.ts";
import { running } from "./support/running.ts";

const anybody = new Client(running().baseUrl);

describe("the gateway", () => {
  test("answers 404 to a path nobody promised", async () => {
    const response = await anybody.raw("GET", "/api/nothing");
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ code: "not_found" });
  });
});
