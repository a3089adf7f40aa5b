import { describe, expect, test } from "@jest/globals";
import { Client } from "./support/client.ts";
import { anOffice } from "./support/office.ts";
import { running } from "./support/running.ts";

const anonymous = new Client(running().baseUrl);

describe("the gateway", () => {
  test("responds 404 to an unknown path", async () => {
    const response = await anonymous.raw("GET", "/api/nothing");
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ code: "not_found" });
  });

  test("refuses every write to the chart of accounts to all users of the office, with the method that the path allows", async () => {
    const office = await anOffice();
    const staff = await office.colleague("staff");
    for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
      const response = await staff.raw(method, "/api/accounting/categories", {});
      expect([response.status, response.headers.get("allow"), ((await response.json()) as { code: string }).code]).toEqual([405, "GET", "system_managed"]);
    }
  });

  test.each(["utf8", "utf-16", "UTF-16LE", "utf-32", "iso-8859-1", '"us-ascii"'])("refuses a JSON or form body in %s with 415", async (charset) => {
    const headers = { "Content-Type": `application/json; charset=${charset}` };
    const responses = [
      await anonymous.raw("POST", "/api/auth/login", "{}", headers),
      await anonymous.raw("POST", "/api/auth/token", "grant_type=refresh_token", { "Content-Type": `application/x-www-form-urlencoded; charset=${charset}` }),
    ];
    for (const response of responses) {
      expect(response.status).toBe(415);
      expect(await response.json()).toEqual({ message: "Send the body in UTF-8.", code: "malformed_json" });
    }
  });

  test("refuses JSON whose text is not in UTF-8", async () => {
    const body = Buffer.concat([Buffer.from('{"email":"caf'), Buffer.from([0xe9]), Buffer.from('@example.com","password":"correct horse battery"}')]);
    const response = await fetch(`${running().baseUrl}/api/auth/login`, { method: "POST", headers: { "Content-Type": "application/json" }, body });
    expect([response.status, await response.json()]).toEqual([400, { message: "The body is not well-formed JSON in UTF-8.", code: "malformed_json" }]);
  });

  test.each(["utf-8", "UTF-8", '"utf-8"'])("accepts JSON with the charset %s", async (charset) => {
    const body = { email: "nobody@example.com", password: "correct horse battery" };
    const { status } = await anonymous.raw("POST", "/api/auth/login", body, { "Content-Type": `application/json; charset=${charset}` });
    expect(status).toBe(401);
  });
});
