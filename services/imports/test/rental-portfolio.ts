/** Files of a small rental portfolio with valid, incomplete, invalid and blocked rows. */
import type { Candidate } from "@freehold/contract/imports/import-bundles";
import type { Client } from "../../../test/support/client.ts";
import { createReadyBundle, csvFile } from "./bundles.ts";

export const files = {
  properties: csvFile(
    "properties.csv",
    "source_id,name,street_line1,city,state,postal_code",
    "P-1,Oak House,7 Oak Street,Albany,NY,12207",
    "P-2,Elm House,,Albany,NY,12207",
  ),
  units: csvFile(
    "units.csv",
    "source_id,property_source_id,property_name,unit_number,monthly_rent",
    "U-1,P-1,,1,1000.00",
    "U-2,P-2,,1,900.00",
    "U-3,,Oak House,2,a lot",
    "U-4,P-9,,1,800.00",
  ),
  tenants: csvFile("tenants.csv", "source_id,full_name,email", 'T-1,"Sample, Sam",sam@example.com', "T-2,Alex Sample,alex@example.com", "T-3,Alex Sample,"),
  leases: csvFile(
    "leases.csv",
    "source_id,unit_source_id,property_name,unit_number,primary_tenant_source_id,primary_tenant_name,co_tenants,start_date,end_date,rent",
    "L-1,U-1,,,T-1,,T-2,2026-01-01,2026-12-31,1000.00",
    "L-2,U-2,,,,Sam Sample,,2026-01-01,2026-12-31,900.00",
    "L-3,,Oak House,1,,Alex Sample,,2027-01-01,2026-12-31,900.00",
  ),
  charges: csvFile("charges.csv", "source_id,lease_source_id,date,amount", "C-1,L-1,2026-06-01,1000.00", "C-2,L-2,2026-06-01,900.00"),
};

/** Returns source id and status of each candidate. */
export const summarize = (all: readonly Candidate[]) => all.map(({ sourceId, status }) => [sourceId, status]);
/** Creates and validates a bundle of all files. */
export const createFullBundle = (client: Client) => createReadyBundle(client, "generic", ...Object.values(files));
export const findBySourceId = (all: readonly Candidate[], sourceId: string) => all.find((each) => each.sourceId === sourceId)!;
