import { describe, expect, test } from "@jest/globals";
import { contactRefusal, hasConsent, type Consent, type Contact } from "./eligibility.rules.ts";
import { optOutKey } from "./opt-outs.ts";

const phone = "+12175550100";
const consent = (isGranted: boolean, minute: number, number = phone): Consent => ({
  phone: number,
  isGranted,
  decidedAt: `2026-01-01T00:0${minute}:00.000Z`,
});

describe("hasConsent", () => {
  test.each([
    ["no decision", [], false],
    ["consent", [consent(true, 1)], true],
    ["consent for another number", [consent(true, 1, "+12175550199")], false],
    ["a later withdrawal", [consent(true, 1), consent(false, 2)], false],
    ["a later consent", [consent(true, 2), consent(false, 1)], true],
    ["a withdrawal at the same time", [consent(true, 1), consent(false, 1)], false],
    ["a later withdrawal for another number", [consent(true, 1), consent(false, 2, "+12175550199")], true],
  ] as const)("with %s is decided by the latest decision on the number", (_, consents, expected) => {
    expect(hasConsent(phone, consents, { restarted: new Set() })).toBe(expected);
  });

  test("takes the withdrawal by a STOP that START has ended for consent, and no other withdrawal", () => {
    const restarted = new Set([optOutKey(phone, consent(false, 2).decidedAt)]);
    expect(hasConsent(phone, [consent(false, 2)], { restarted })).toBe(true);
    expect(hasConsent(phone, [consent(false, 2), consent(false, 3)], { restarted })).toBe(false);
  });
});

describe("contactRefusal", () => {
  const contact: Contact = {
    kind: "tenant",
    id: "t",
    fullName: "Ana Ruiz",
    email: "Ana@example.com",
    phone,
    language: "en",
    isDeleted: false,
    mergedIntoId: null,
    alternatePhone: null,
    consents: [consent(true, 1)],
    emailDecisions: [],
    userIds: [],
  };
  const nothing = { phones: new Set<string>(), emails: new Set<string>(), complained: new Set<string>(), restarted: new Set<string>() };
  test.each([
    ["in_app", {}, nothing, null],
    ["email", {}, nothing, null],
    ["sms", {}, nothing, null],
    ["in_app", { isDeleted: true }, nothing, "deleted"],
    ["email", { email: null }, nothing, "no_email"],
    ["sms", { phone: null }, nothing, "no_phone"],
    ["sms", { consents: [] }, nothing, "no_consent"],
    ["sms", {}, { ...nothing, phones: new Set([phone]) }, "opted_out"],
    ["email", {}, { ...nothing, phones: new Set([phone]) }, null],
    ["email", {}, { ...nothing, emails: new Set(["ana@example.com"]) }, "suppressed"],
    ["sms", {}, { ...nothing, emails: new Set(["ana@example.com"]) }, null],
  ] as const)("on %s with %j is decided by the address, its blocks and consent", (channel, changes, blocked, expected) => {
    expect(contactRefusal(channel, "blast", { ...contact, ...changes }, blocked)).toBe(expected);
  });

  const withdrawn = [consent(true, 1), consent(false, 2)];
  test.each([
    ["blast", withdrawn, "no_consent"],
    ["notification", withdrawn, "no_consent"],
    ["notification-digest", withdrawn, "no_consent"],
    ["owner-statement", withdrawn, "no_consent"],
    ["owner-statement", [], null],
    ["conversation-message", withdrawn, null],
    ["work-order-assigned", withdrawn, null],
    ["blast", [consent(false, 1), consent(true, 2)], null],
    ["blast", [consent(false, 1), consent(true, 1)], "no_consent"],
    ["blast", [], null],
  ] as const)("of an e-mail with the template %s and the decisions %j is %j", (template, emailDecisions, expected) => {
    expect(contactRefusal("email", template, { ...contact, emailDecisions }, nothing)).toBe(expected);
  });
});
