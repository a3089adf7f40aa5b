/** Generator of a portfolio of any size in the generic template: 90 % of the units are leased, and a third of the leases has a balance. */
import type { Sheets } from "./writing.ts";

const UNITS_PER_PROPERTY = 20;
/** Average number of rows for each unit. */
const ROWS_PER_UNIT = 3.35;
const padded = (n: number) => String(n).padStart(6, "0");
const range = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

/** Returns sheets with approximately this number of rows in total. */
export function largePortfolio(rows: number): Sheets {
  const unitCount = Math.ceil(rows / ROWS_PER_UNIT);
  const leasedUnits = range(unitCount).filter((n) => n % 10 !== 0);
  const propertyOf = (n: number) => Math.ceil(n / UNITS_PER_PROPERTY);
  return {
    properties: [
      "source_id,name,street_line1,city,state,postal_code",
      ...range(propertyOf(unitCount)).map((n) => `P-${n},House ${padded(n)},${n} Elm Street,Albany,NY,12207`),
    ],
    units: [
      "source_id,property_source_id,unit_number,bedrooms,monthly_rent",
      ...range(unitCount).map((n) => `U-${n},P-${propertyOf(n)},${padded(n)},${n % 4},${900 + (n % 700)}.00`),
    ],
    tenants: ["source_id,full_name,email", ...range(unitCount).map((n) => `T-${n},Tenant ${padded(n)},tenant${n}@example.com`)],
    leases: [
      "source_id,unit_source_id,primary_tenant_source_id,term_type,status,start_date,rent",
      ...leasedUnits.map((n) => `L-${n},U-${n},T-${n},month_to_month,active,2024-0${1 + (n % 9)}-01,${900 + (n % 700)}.00`),
    ],
    opening_balances: [
      "lease_source_id,as_of,balance,prepaid",
      ...leasedUnits.filter((n) => n % 3 === 0).map((n) => `L-${n},2026-01-01,${n % 500}.${10 + (n % 90)},0.00`),
    ],
  };
}

/** Returns the number of rows of all sheets, without headers. */
export const countRows = (sheets: Sheets): number => Object.values(sheets).reduce((sum, lines) => sum + lines.length - 1, 0);
