import { describe, expect, test } from "@jest/globals";
import { lowestEarned, type CompanyMovement } from "./earned-money.rules.ts";

const money = (day: string, cents: number, bankAccountId = "operating"): CompanyMovement => ({ day, kind: "money", bankAccountId, cents });
const withdrawn = (day: string, cents: number): CompanyMovement => ({ day, kind: "withdrawn", bankAccountId: null, cents });
const unearned = (day: string, cents: number): CompanyMovement => ({ day, kind: "unearned", bankAccountId: null, cents });

describe("lowestEarned", () => {
  test.each([
    ["nothing without movements", [], 0],
    ["the money of the company", [money("01", 100), money("02", 50)], 150],
    ["what is left after a later withdrawal", [money("01", 100), money("06", -30)], 70],
    ["what was there before a later receipt", [money("01", 100), money("06", 30)], 100],
    ["no money that was moved from properties", [money("01", 100), money("02", 900), unearned("02", 900)], 100],
    ["what it was given back of an advance", [money("01", 100), money("02", -40), unearned("02", -40), money("03", 40), unearned("03", 40)], 100],
    ["not reduced by what it lacks in another account", [money("01", 100), money("01", -15, "escrow")], 100],
    ["no money that was moved to another account", [money("01", 900), unearned("01", 900), money("02", -900), money("02", 900, "reserve")], 0],
    ["reduced by what was withdrawn from properties against equity", [money("01", 100), withdrawn("02", 130)], -30],
    ["not raised by what was put in at properties against equity", [money("01", 100), withdrawn("02", -130)], 100],
    ["negative by what was withdrawn and not earned", [money("01", 900), unearned("01", 900), money("05", -200)], -200],
  ])("is %s", (_, movements, cents) => expect(lowestEarned(movements, "05")).toBe(cents));
});
