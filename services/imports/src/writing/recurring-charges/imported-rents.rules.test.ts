import { describe, expect, test } from "@jest/globals";
import { importedRents } from "./imported-rents.rules.ts";

const terms = { importDate: "2026-06-10", incomeAccounts: new Set(["4000", "4010"]) };
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
    ["the charge day of the lease instead of one of its own", { day_of_month: undefined }, { rent_charge_day: "5" }],
    ["the start of a later lease", { start_date: "2026-08-01" }, { start_date: "2026-08-01" }],
  ])("takes a rent with %s for that of its lease, due on its day", (_, charge, leaseTerms) => {
    const { chargedByOthers, ownRents, chargeDays } = importedRents([aCharge(charge, leaseTerms)], terms);
    expect([[...ownRents.keys()], [...chargedByOthers], [...chargeDays]]).toEqual([["R-1"], [], [["L-1", 5]]]);
  });

  test.each([
    ["another amount", { amount: "900.00" }, {}],
    ["another charge day", {}, { rent_charge_day: "1" }],
    ["an earlier end", { end_date: "2026-10-31" }, {}],
    ["an end that the lease does not have", { end_date: "2026-10-31" }, { end_date: undefined }],
  ])("takes a rent with %s for another one in the place of that of the lease", (_, charge, leaseTerms) => {
    const { chargedByOthers, ownRents, chargeDays } = importedRents([aCharge(charge, leaseTerms)], terms);
    expect([[...ownRents.keys()], [...chargedByOthers], [...chargeDays]]).toEqual([[], ["L-1"], []]);
  });

  test.each([
    ["begins after the import", { start_date: "2026-06-11" }],
    ["has ended before it", { end_date: "2026-06-09" }],
    ["ends before it begins", { end_date: "2025-01-14" }],
    ["has an account that is none of income", { category_code: "5010" }],
  ])("leaves a lease its own rent when another one %s", (_, charge) => {
    const { chargedByOthers, ownRents, inPlaceOfOwn } = importedRents([aCharge({ amount: "900.00", ...charge })], terms);
    expect([ownRents.size, chargedByOthers.size, inPlaceOfOwn.size]).toEqual([0, 0, 0]);
  });

  test("takes a rent for that of the lease besides the ended one before it", () => {
    const { chargedByOthers, ownRents } = importedRents([aCharge({ amount: "900.00", end_date: "2025-12-31" }), aCharge({}, {}, "R-2")], terms);
    expect([[...ownRents.keys()], chargedByOthers.size]).toEqual([["R-2"], 0]);
  });

  test("takes rents in succession for others in the place of that of the lease", () => {
    const charges = [aCharge({ amount: "900.00", end_date: "2026-12-31" }), aCharge({ start_date: "2027-01-01" }, {}, "R-2")];
    const { chargedByOthers, inPlaceOfOwn } = importedRents(charges, terms);
    expect([[...chargedByOthers], [...inPlaceOfOwn]]).toEqual([["L-1"], ["R-1", "R-2"]]);
  });

  test.each([
    ["within a later month", "2026-08-15", {}, {}, ["R-1"], ["R-2"]],
    ["within the month of the import", "2026-06-20", {}, {}, [], []],
    ["on the first of a month", "2026-08-01", {}, {}, [], []],
    ["within a month, due on another day", "2026-08-15", { day_of_month: "1" }, {}, [], []],
    ["within a month of a lease that has not begun", "2026-08-15", {}, { start_date: "2026-07-01" }, [], []],
  ])("takes rents that follow each other %s for the rent of the lease and its changes, if they are one rent", (_, start, later, leaseTerms, own, changes) => {
    const end = new Date(Date.parse(start) - 86_400_000).toISOString().slice(0, 10);
    const charges = [aCharge({ amount: "900.00", end_date: end }, leaseTerms), aCharge({ start_date: start, ...later }, leaseTerms, "R-2")];
    const { ownRents, laterRents, chargedByOthers } = importedRents(charges.toReversed(), terms);
    expect([[...ownRents.keys()], [...laterRents.keys()], chargedByOthers.size]).toEqual([own, changes, Number(own.length === 0)]);
  });

  test("takes none of several rents for that of the lease", () => {
    const { chargedByOthers, ownRents, inPlaceOfOwn } = importedRents([aCharge(), aCharge({}, {}, "R-2")], terms);
    expect([ownRents.size, [...chargedByOthers], [...inPlaceOfOwn]]).toEqual([0, ["L-1"], ["R-1", "R-2"]]);
  });
});
