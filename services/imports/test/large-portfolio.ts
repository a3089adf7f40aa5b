/** A portfolio of any size in the generic form: every unit with its tenant, nine in ten let, a third of those owing something. */
import type { Sheets } from "./writing.ts";

const UNITS_A_PROPERTY = 20;
const padded = (n: number) => String(n).padStart(6, "0");
const from = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

/** Sheets that hold at least so many rows together. */
export function largePortfolio(rows: number): Sheets {
  const units = Math.ceil(rows / 3.35);
  const lets = from(units).filter((n) => n % 10 !== 0);
  const propertyOf = (n: number) => Math.ceil(n / UNITS_A_PROPERTY);
  return {
    properties: [
      "source_id,name,street_line1,city,state,postal_code",
      ...from(propertyOf(units)).map((n) => `P-${n},House ${padded(n)},${n} Elm Street,Albany,NY,12207`),
    ],
    units: [
      "source_id,property_source_id,unit_number,bedrooms,monthly_rent",
      ...from(units).map((n) => `U-${n},P-${propertyOf(n)},${padded(n)},${n % 4},${900 + (n % 700)}.00`),
    ],
    tenants: ["source_id,full_name,email", ...from(units).map((n) => `T-${n},Tenant ${padded(n)},tenant${n}@example.com`)],
    leases: [
      "source_id,unit_source_id,primary_tenant_source_id,term_type,status,start_date,rent",
      ...lets.map((n) => `L-${n},U-${n},T-${n},month_to_month,active,2024-0${1 + (n % 9)}-01,${900 + (n % 700)}.00`),
    ],
    opening_balances: [
      "lease_source_id,as_of,balance,prepaid",
      ...lets.filter((n) => n % 3 === 0).map((n) => `L-${n},2026-01-01,${n % 500}.${10 + (n % 90)},0.00`),
    ],
  };
}

/** How many rows there are in all. */
export const rowsIn = (sheets: Sheets): number => Object.values(sheets).reduce((sum, lines) => sum + lines.length - 1, 0);
