import { describe, expect, test } from "@jest/globals";
import { nextSigningTime, retirementOfPredecessors, signingKeyAt } from "./signing-key.rules.ts";

const day = (text: string) => new Date(`2026-03-${text}Z`);
const first = { signsFrom: day("01T00:00:00.000") };

describe("the next signing key", () => {
  test("signs at once without a key", () => expect(nextSigningTime(undefined, day("01T12:00:00.000"))).toEqual(day("01T12:00:00.000")));
  test("signs thirty days after the newest one, and is published twenty minutes before", () => {
    expect(nextSigningTime(first.signsFrom, day("30T23:39:59.999"))).toBeUndefined();
    expect(nextSigningTime(first.signsFrom, day("30T23:40:00.000"))).toEqual(day("31T00:00:00.000"));
  });
  test("is published for twenty minutes before it signs, also when nobody has signed in for long", () =>
    expect(nextSigningTime(day("01T00:00:00.000"), new Date("2026-06-01T00:00:00.000Z"))).toEqual(new Date("2026-06-01T00:20:00.000Z")));
  test("retires the ones before it twenty minutes after it signs", () =>
    expect(retirementOfPredecessors(day("31T00:00:00.000"))).toEqual(day("31T00:20:00.000")));
});

test("the newest key whose time has come signs, and a published one at once when no other is left", () => {
  const next = { signsFrom: day("31T00:00:00.000") };
  expect(signingKeyAt([next, first], day("30T23:59:59.999"))).toBe(first);
  expect(signingKeyAt([next, first], day("31T00:00:00.000"))).toBe(next);
  expect(signingKeyAt([next], day("30T23:59:59.999"))).toBe(next);
});
