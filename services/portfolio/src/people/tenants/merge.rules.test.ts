import { describe, expect, test } from "@jest/globals";
import { fillMissingFields } from "./merge.rules.ts";

const nothing = {
  firstName: null,
  lastName: null,
  companyName: null,
  email: null,
  phone: null,
  alternatePhone: null,
  dateOfBirth: null,
  emergencyContact: null,
  mailingAddress: null,
  smsConsentGranted: false,
  smsConsentAt: null,
};
const at = new Date("2026-01-01T00:00:00Z");
const agreed = { smsConsentGranted: true, smsConsentAt: at };
const refused = { smsConsentGranted: false, smsConsentAt: at };

describe("filledIn", () => {
  test("takes what is empty, and keeps what is not", () => {
    const duplicate = { ...nothing, firstName: "Tina", email: "other@example.com", dateOfBirth: "1990-01-31", mailingAddress: "1 Elm Street" };
    expect(fillMissingFields({ ...nothing, email: "tina@example.com", lastName: "Tenant" }, duplicate)).toEqual({
      firstName: "Tina",
      dateOfBirth: "1990-01-31",
      mailingAddress: "1 Elm Street",
    });
  });

  test.each([
    ["another number than the duplicate's keeps what was said of it", { phone: "+12175550100" }, { phone: "+12175550199", ...agreed }, {}],
    ["a number taken over brings what was said of it", {}, { phone: "+12175550199", ...agreed }, { phone: "+12175550199", ...agreed }],
    ["the same number of which nothing was said yet gets what was said", { phone: "+12175550100" }, { phone: "+12175550100", ...agreed }, agreed],
    ["the same number of which something was said keeps it", { phone: "+12175550100", ...refused }, { phone: "+12175550100", ...agreed }, {}],
  ])("%s", (_, survivor, duplicate, expected) => {
    const taken = fillMissingFields({ ...nothing, ...survivor }, { ...nothing, ...duplicate });
    expect(taken).toEqual(expected);
  });
});
