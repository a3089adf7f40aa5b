import { describe, expect, test } from "@jest/globals";
import { importEntityTypes } from "@freehold/contract/imports/import-bundles";
import { writers } from "../writing/writers.ts";
import { postsNothing, isCreateOnly, postedRecordError } from "./create-only.rules.ts";

test("posted are exactly the types whose writer changes no record", () => {
  const unchangeable = importEntityTypes.filter((type) => type !== "ownership" && writers[type].update === undefined);
  expect(importEntityTypes.filter(isCreateOnly)).toEqual(unchangeable);
});

describe("the error of a changed posted record", () => {
  const identity = (data: Record<string, string>) => ({ sourceId: "L-1", entityId: "charge-1", data });
  const changes = [{ field: "as_of", from: "2026-12-01", to: "2026-11-01" }];

  test("names the difference, the record and the remedy", () => {
    expect(postedRecordError("opening_balance", identity({ balance: "120.00", as_of: "2026-12-01" }), changes)).toEqual({
      path: "as_of",
      code: "not_allowed",
      message:
        'This row was imported before: as_of was 2026-12-01 and is 2026-11-01. An import does not change what it has posted. To correct it, void the charge "Opening balance" (charge charge-1), then resolve this row with the action create; or restore as_of in the file, or exclude the row.',
    });
  });

  test("of a prepayment names its payment", () => {
    expect(postedRecordError("opening_balance", identity({ balance: "0.00", prepaid: "50.00" }), changes).message).toContain("reverse the payment");
    expect(postedRecordError("opening_balance", identity({ balance: "9.00", prepaid: "50.00" }), changes).message).toContain(
      'void the charge "Opening balance" (charge charge-1), and reverse the payment of the prepayment',
    );
  });
});

test("a balance of zero posts nothing", () => {
  expect([
    postsNothing("opening_balance", { balance: "0.00" }),
    postsNothing("opening_balance", { balance: "0.00", prepaid: "1.00" }),
    postsNothing("charge", {}),
  ]).toEqual([true, false, false]);
});
