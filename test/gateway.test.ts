import { describe, expect, test } from "@jest/globals";
import { Client } from "./support/client.ts";
import { running } from "./support/running.ts";

const anonymous = new Client(running().baseUrl);

describe("the gateway", () => {
  test("responds 404 to an unknown path", async () => {
    const response = await anonymous.raw("GET", "/api/nothing");
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ code: "not_found" });
  });
});
