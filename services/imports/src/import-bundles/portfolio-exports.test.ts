import { describe, expect, test } from "@jest/globals";
import { toAppfolioFiles, toBuildiumFiles, toGenericFiles } from "../../../../test/fixtures/portfolio/exports.ts";
import { createPortfolio } from "../../../../test/fixtures/portfolio/portfolio.ts";
import { anOffice } from "../../../../test/support/office.ts";
import { createReadyBundle, listAllCandidates } from "../../test/bundles.ts";

const portfolio = createPortfolio();
const units = portfolio.flatMap((property) => property.units);
const leases = units.flatMap(({ lease }) => lease ?? []);
const expectedCounts = {
  property: portfolio.length,
  owner: portfolio.length,
  unit: units.length,
  tenant: leases.flatMap(({ tenants }) => tenants).length,
  lease: leases.length,
  occupant: leases.filter(({ tenants }) => tenants.length > 1).length,
  deposit: leases.filter(({ depositCents }) => depositCents > 0).length,
  opening_balance: leases.filter(({ balanceCents }) => balanceCents > 0).length,
};

describe("a portfolio", () => {
  test.each([
    ["generic", toGenericFiles],
    ["appfolio", toAppfolioFiles],
    ["buildium", toBuildiumFiles],
  ] as const)("is read completely from the export of %s", async (provider, exportFiles) => {
    const office = await anOffice();
    const { id, files, counts } = await createReadyBundle(office, provider, ...exportFiles(portfolio));
    expect(files.map(({ missingRequired }) => missingRequired)).toEqual(files.map(() => []));
    expect(Object.fromEntries(Object.entries(counts.byEntity).map(([type, { ready_create = 0 }]) => [type, ready_create]))).toEqual(expectedCounts);
    expect([counts.invalid, counts.missing_source_data, counts.blocked, counts.ambiguous]).toEqual([0, 0, 0, 0]);
    const candidates = (await listAllCandidates(office, id)).filter(({ status }) => status === "ready_create");
    const sortedCents = (type: string, field: string) =>
      candidates
        .filter(({ entityType }) => entityType === type)
        .map(({ data }) => Math.round(Number(data[field]) * 100))
        .toSorted((a, b) => a - b);
    expect(sortedCents("lease", "rent")).toEqual(leases.map(({ rentCents }) => rentCents).toSorted((a, b) => a - b));
    expect(sortedCents("deposit", "amount_held")).toEqual(
      leases.flatMap(({ depositCents }) => (depositCents > 0 ? [depositCents] : [])).toSorted((a, b) => a - b),
    );
    const names = candidates.filter(({ entityType }) => entityType === "tenant").map(({ data }) => data["full_name"] as string);
    expect(names.toSorted()).toEqual(leases.flatMap(({ tenants }) => tenants.map(({ firstName, lastName }) => `${firstName} ${lastName}`)).toSorted());
    const leaseDates = candidates
      .filter(({ entityType }) => entityType === "lease")
      .map(({ data }) => `${data["start_date"] as string} ${(data["end_date"] as string | undefined) ?? ""}`);
    expect(leaseDates.toSorted()).toEqual(leases.map(({ startDate, endDate }) => `${startDate} ${endDate ?? ""}`).toSorted());
  });
});
