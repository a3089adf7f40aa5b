import { describe, expect, test } from "@jest/globals";
import { inAppfolio, inBuildium, inGeneric } from "../../../../test/fixtures/portfolio/exports.ts";
import { aPortfolio } from "../../../../test/fixtures/portfolio/portfolio.ts";
import { anOffice } from "../../../../test/office.ts";
import { aReadyBundle, candidatesOf } from "../../test/bundles.ts";

const portfolio = aPortfolio();
const units = portfolio.flatMap((property) => property.units);
const leases = units.flatMap(({ lease }) => lease ?? []);
const expected = {
  property: portfolio.length,
  owner: portfolio.length,
  unit: units.length,
  tenant: leases.flatMap(({ tenants }) => tenants).length,
  lease: leases.length,
  occupant: leases.filter(({ tenants }) => tenants.length > 1).length,
  deposit: leases.filter(({ deposit }) => deposit > 0).length,
  opening_balance: leases.filter(({ balance }) => balance > 0).length,
};

describe("the same portfolio", () => {
  test.each([
    ["generic", inGeneric],
    ["appfolio", inAppfolio],
    ["buildium", inBuildium],
  ] as const)("comes out of the files of %s as it is, and nothing of it is left open", async (provider, files) => {
    const office = await anOffice();
    const { id, files: kept, counts } = await aReadyBundle(office, provider, ...files(portfolio));
    expect(kept.map(({ missingRequired }) => missingRequired)).toEqual(kept.map(() => []));
    expect(Object.fromEntries(Object.entries(counts.byEntity).map(([type, { ready_create = 0 }]) => [type, ready_create]))).toEqual(expected);
    expect([counts.invalid, counts.missing_source_data, counts.blocked, counts.ambiguous]).toEqual([0, 0, 0, 0]);
    const all = (await candidatesOf(office, id)).filter(({ status }) => status === "ready_create");
    const money = (type: string, field: string) =>
      all
        .filter(({ entityType }) => entityType === type)
        .map(({ data }) => Math.round(Number(data[field]) * 100))
        .toSorted((a, b) => a - b);
    expect(money("lease", "rent")).toEqual(leases.map(({ rent }) => rent).toSorted((a, b) => a - b));
    expect(money("deposit", "amount_held")).toEqual(leases.flatMap(({ deposit }) => (deposit > 0 ? [deposit] : [])).toSorted((a, b) => a - b));
    const names = all.filter(({ entityType }) => entityType === "tenant").map(({ data }) => data["full_name"] as string);
    expect(names.toSorted()).toEqual(leases.flatMap(({ tenants }) => tenants.map(({ firstName, lastName }) => `${firstName} ${lastName}`)).toSorted());
    const days = all
      .filter(({ entityType }) => entityType === "lease")
      .map(({ data }) => `${data["start_date"] as string} ${(data["end_date"] as string | undefined) ?? ""}`);
    expect(days.toSorted()).toEqual(leases.map(({ start, end }) => `${start} ${end ?? ""}`).toSorted());
  });
});
