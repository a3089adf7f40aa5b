import { describe, expect, test } from "@jest/globals";
import { fillMissingFields } from "./merge.rules.ts";

const empty = {
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
const granted = { smsConsentGranted: true, smsConsentAt: at };
const withdrawn = { smsConsentGranted: false, smsConsentAt: at };

describe("fillMissingFields", () => {
  test("fills empty fields and keeps the others", () => {
    const duplicate = { ...empty, firstName: "Tina", email: "other@example.com", dateOfBirth: "1990-01-31", mailingAddress: "1 Elm Street" };
    expect(fillMissingFields({ ...empty, email: "tina@example.com", lastName: "Tenant" }, duplicate)).toEqual({
      firstName: "Tina",
      dateOfBirth: "1990-01-31",
      mailingAddress: "1 Elm Street",
    });
  });

  test.each([
    ["a different number keeps its consent", { phone: "+12175550100" }, { phone: "+12175550199", ...granted }, {}],
    ["a copied number brings its consent", {}, { phone: "+12175550199", ...granted }, { phone: "+12175550199", ...granted }],
    ["the same number without a recorded consent gets the duplicate's", { phone: "+12175550100" }, { phone: "+12175550100", ...granted }, granted],
    ["the same number with a recorded consent keeps it", { phone: "+12175550100", ...withdrawn }, { phone: "+12175550100", ...granted }, {}],
  ])("%s", (_, survivor, duplicate, expected) => {
    const filled = fillMissingFields({ ...empty, ...survivor }, { ...empty, ...duplicate });
    expect(filled).toEqual(expected);
  });
});
