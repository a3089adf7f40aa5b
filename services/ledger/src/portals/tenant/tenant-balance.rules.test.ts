import { expect, test } from "@jest/globals";
import { nextDue } from "./tenant-balance.rules.ts";

const due = (dueDate: string, amountCents: number) => ({ dueDate, amountCents });

test.each([
  ["nothing is due later", [due("2026-03-01", 100)], null, 0],
  ["a charge is due later", [due("2026-04-01", 100)], "2026-04-01", 100],
  ["several are due on the next day", [due("2026-05-01", 900), due("2026-04-01", 100), due("2026-04-01", 50)], "2026-04-01", 150],
])("when %s, the next due day and its sum are returned", (_, dues, nextDueOn, nextDueCents) => {
  expect(nextDue(dues, "2026-03-01")).toEqual({ nextDueOn, nextDueCents });
});
