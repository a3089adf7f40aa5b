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
  smsConsentSource: null,
};
const consentAt = new Date("2026-01-01T00:00:00Z");
const granted = { smsConsentGranted: true, smsConsentAt: consentAt, smsConsentSource: "lease" };
const withdrawn = { smsConsentGranted: false, smsConsentAt: consentAt, smsConsentSource: "phone call" };

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
    ["ignores the consent of a different number", { phone: "+12175550100" }, { phone: "+12175550199", ...granted }, {}],
    ["copies the consent with the number", {}, { phone: "+12175550199", ...granted }, { phone: "+12175550199", ...granted }],
    ["copies the consent of the same number when the survivor has none recorded", { phone: "+12175550100" }, { phone: "+12175550100", ...granted }, granted],
    [
      "takes over a later withdrawal for the same number",
      { phone: "+12175550100", ...granted },
      { phone: "+12175550100", ...withdrawn, smsConsentAt: new Date(consentAt.getTime() + 1) },
      { ...withdrawn, smsConsentAt: new Date(consentAt.getTime() + 1) },
    ],
    ["keeps the recorded consent of the same number", { phone: "+12175550100", ...withdrawn }, { phone: "+12175550100", ...granted }, {}],
  ])("%s", (_, survivor, duplicate, expected) => {
    const filled = fillMissingFields({ ...empty, ...survivor }, { ...empty, ...duplicate });
    expect(filled).toEqual(expected);
  });
});
