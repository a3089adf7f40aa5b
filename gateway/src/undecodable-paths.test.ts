/** Paths whose percent-encoding is not UTF-8. */
import { expect, test } from "@jest/globals";
import { anOffice } from "../../test/support/office.ts";

test.each(["/api/charges/%ff", "/api/payments/%c0%80/receipt", "/api/accounting/journal-entries/%ud800"])(
  "an id in the path that cannot be decoded is an error of the request, not of the system: %s",
  async (path) => {
    const office = await anOffice();
    // Control: another id that is no UUID.
    expect((await office.raw("GET", "/api/charges/%20")).status).toBeLessThan(500);
    const response = await office.raw("GET", path);
    expect(response.status).toBe(400);
  },
);
