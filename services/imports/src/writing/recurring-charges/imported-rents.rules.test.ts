import { describe, expect, test } from "@jest/globals";
import { importedRents } from "./imported-rents.rules.ts";

const IMPORT_DATE = "2026-06-10";
const lease = { start_date: "2025-01-15", end_date: "2026-12-15", rent: "1000.00" };
const data = { label: "Rent", kind: "rent", amount: "1000.00", day_of_month: "5", start_date: "2025-01-15" };
const aCharge = (charge: object = {}, leaseTerms: object = {}, id = "R-1") => ({
  id,
  leaseCandidateId: "L-1",
  isLeaseNew: true,
  data: { ...data, ...charge },
  lease: { ...lease, ...leaseTerms },
});

describe("importedRents", () => {
  test.each([
    ["the same terms", {}, {}],
    ["the same charge day", {}, { rent_charge_day: "5" }],
    ["the end date of the lease", { end_date: "2026-12-15" }, {}],
    ["a start before the import", { start_date: "2026-06-10" }, {}],
    ["the start of a later lease", { start_date: "2026-08-01" }, { start_date: "2026-08-01" }],
  ])("takes a rent with %s for that of its lease, due on its day", (_, charge, leaseTerms) => {
    const { chargedByOthers, ownRents, chargeDays } = importedRents([aCharge(charge, leaseTerms)], IMPORT_DATE);
    expect([[...ownRents.keys()], [...chargedByOthers], [...chargeDays]]).toEqual([["R-1"], [], [["L-1", 5]]]);
  });

  test.each([
    ["another amount", { amount: "900.00" }, {}],
    ["another charge day", {}, { rent_charge_day: "1" }],
    ["an earlier end", { end_date: "2026-10-31" }, {}],
    ["an end that the lease does not have", { end_date: "2026-10-31" }, { end_date: undefined }],
    ["a later start", { start_date: "2026-06-11" }, {}],
  ])("takes a rent with %s for another one in the place of that of the lease", (_, charge, leaseTerms) => {
    const { chargedByOthers, ownRents, chargeDays } = importedRents([aCharge(charge, leaseTerms)], IMPORT_DATE);
    expect([[...ownRents.keys()], [...chargedByOthers], [...chargeDays]]).toEqual([[], ["L-1"], []]);
  });

  test("takes none of several rents for that of the lease", () => {
    const { chargedByOthers, ownRents, inPlaceOfOwn } = importedRents([aCharge(), aCharge({}, {}, "R-2")], IMPORT_DATE);
    expect([ownRents.size, [...chargedByOthers], [...inPlaceOfOwn]]).toEqual([0, ["L-1"], ["R-1", "R-2"]]);
  });
});
