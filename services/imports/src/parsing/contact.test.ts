import { describe, expect, test } from "@jest/globals";
import { parseEmails, parsePhones } from "./contact.ts";

describe("parsePhones", () => {
  test.each([
    ["(860) 614-3327", "+18606143327", undefined],
    ["Mobile: (860) 614-3327, Home: (860) 555-0100", "+18606143327", ["(860) 555-0100"]],
    ["860.614.3327 x12", "+18606143327", ["ext. 12"]],
    ["8606143327", "+18606143327", undefined],
    ["+44 20 7946 0958", "+442079460958", undefined],
    ["(860) 614-3327\n(860) 555-0100", "+18606143327", ["(860) 555-0100"]],
    ["860 614 3327 860 555 0100", "+18606143327", ["860 555 0100"]],
    ["Mobile (860) 614-3327 Home (860) 555-0100", "+18606143327", ["(860) 555-0100"]],
    ["860–614–3327", "+18606143327", undefined],
    ["8606143327.0", "+18606143327", undefined],
  ])("parses %s as %s", (text, value, others) => {
    expect(parsePhones(text)).toEqual({ value, ...(others && { others }) });
  });

  test("returns an empty value for a placeholder number", () => {
    expect(parsePhones("(000) 000-0000")).toEqual({ value: "" });
  });

  test.each(["call me", "555", "x12"])("refuses %s", (text) => {
    expect(parsePhones(text)).toEqual({ problem: expect.stringContaining(text) });
  });
});

describe("parseEmails", () => {
  test.each([
    ["Sam@Example.com", "sam@example.com", undefined],
    ["a@example.com, b@example.org", "a@example.com", ["b@example.org"]],
    ["Home: a@example.com; Work: b@example.org", "a@example.com", ["b@example.org"]],
    ["<a@example.com>", "a@example.com", undefined],
    ["Sam Sample <sam@example.com>", "sam@example.com", undefined],
    ["mailto:a@example.com (work)", "a@example.com", undefined],
    ["a@example.com/b@example.org", "a@example.com", ["b@example.org"]],
  ])("parses %s as %s", (text, value, others) => {
    expect(parseEmails(text)).toEqual({ value, ...(others && { others }) });
  });

  test.each(["nobody", "a@", "a@b", "a@example.com, nobody"])("refuses %s", (text) => {
    expect(parseEmails(text)).toHaveProperty("problem");
  });
});
