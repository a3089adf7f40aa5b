/** Reports that random histories read and compare, after later commands, with the same version of the ledger. */
import { expect } from "@jest/globals";
import type { Office } from "../../../../test/support/office.ts";
import type { Tenancy } from "../../../../test/support/tenancy.ts";
import { DAY_AFTER_LAST_DATE, type Command, type Environment, type VersionedReports } from "./command-context.ts";

async function readReportsOf(office: Office, { leaseId, tenantId, propertyId }: Tenancy, ledgerVersion?: number): Promise<Omit<VersionedReports, "tenancy">> {
  const version = ledgerVersion === undefined ? {} : { ledgerVersion };
  const query = { ...version, asOf: DAY_AFTER_LAST_DATE, pageSize: 100 };
  const readTrialBalance = (basis: "accrual" | "cash") => office.call("getTrialBalance", { query: { ...version, asOf: DAY_AFTER_LAST_DATE, basis } });
  const reports = await Promise.all([
    readTrialBalance("accrual"),
    readTrialBalance("cash"),
    office.call("listLeaseLedger", { params: { id: leaseId }, query }),
    office.call("listTenantLedger", { params: { id: tenantId }, query }),
    office.call("listPropertyLedger", { params: { id: propertyId }, query: { ...query, basis: "cash" } }),
  ]);
  return { ledgerVersion: reports[0].trialBalance.ledgerVersion, reports };
}

/** Reads reports in the current version and keeps them. */
export const readReports: Command = async ({ office, tenancy, versionedReports }) => {
  versionedReports.push({ tenancy, ...(await readReportsOf(office, tenancy)) });
  return "accepted";
};

/** Expects the kept reports to be the same in their versions, and forgets them. */
export async function expectSameReports({ office, versionedReports }: Environment): Promise<void> {
  for (const { tenancy, ledgerVersion, reports } of versionedReports.splice(0))
    expect((await readReportsOf(office, tenancy, ledgerVersion)).reports).toEqual(reports);
}
