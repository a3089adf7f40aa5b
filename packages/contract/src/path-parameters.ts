/** Path parameters of the OpenAPI document: ids, each described by the resource that it identifies. */
import { z } from "zod";
import { pathParameterNames } from "./operation.ts";
import { Id } from "./values.ts";

/** Noun for a resource, by the path segment before its id. */
const resourceNames: Record<string, string> = {
  adjustments: "fee or interest of the bank",
  agreements: "management fee agreement",
  allocations: "payment allocation",
  approvals: "estimate to decide on",
  "bank-accounts": "bank account",
  blasts: "blast",
  budgets: "budget",
  "bulk-imports": "bulk import",
  candidates: "import candidate",
  categories: "account in the chart of accounts",
  charges: "charge",
  contributions: "owner contribution",
  conversations: "conversation",
  credits: "credit",
  deductions: "deduction of the security deposit",
  deposits: "bank deposit",
  documents: "document",
  "email-accounts": "e-mail account",
  "expense-payments": "expense payment",
  expenses: "expense",
  files: "import file",
  "import-bundles": "import bundle",
  "import-mapping-profiles": "import mapping profile",
  "inspection-templates": "inspection template",
  inspections: "inspection",
  items: "inspection item",
  "journal-entries": "journal entry",
  "lease-billing-schedules": "billing schedule",
  "lease-occupants": "occupant",
  "lease-parking-rights": "parking right",
  "lease-rent-changes": "rent change",
  leases: "lease",
  "maintenance-requests": "maintenance request",
  notes: "note",
  notifications: "notification",
  "owner-invites": "owner invite",
  "owner-payables": "owner payout",
  "owner-statements": "owner statement",
  owners: "owner",
  payments: "payment",
  periods: "accounting period",
  properties: "property",
  reconciliations: "reconciliation",
  "recurring-charges": "recurring charge rule",
  refunds: "refund",
  runs: "management fee run",
  "security-deposits": "security deposit",
  "service-keys": "service key",
  sessions: "session",
  statements: "owner statement",
  "statement-uploads": "upload of a bank statement",
  suppressions: "suppression",
  "tenant-invites": "tenant invite",
  tenants: "tenant",
  transactions: "transaction of the security deposit",
  transfers: "transfer between bank accounts",
  "unit-fee-templates": "unit fee template",
  units: "unit",
  users: "user",
  "vendor-invites": "vendor invite",
  vendors: "vendor",
  "webhook-events": "webhook event",
  "work-order-estimates": "work order estimate",
  "work-orders": "work order",
};

/**
 * Returns the schema of the ids in a path, or undefined for a path without ids. The id in `/api/leases/{id}/renew` is described
 * as `ID of the lease.` Throws when the path segment before an id has no noun in `resourceNames`.
 */
export function idParameters(path: string): z.ZodObject | undefined {
  const names = pathParameterNames(path);
  if (names.length === 0) return undefined;
  const segments = path.split("/");
  const entries = names.map((name) => {
    const collection = segments[segments.indexOf(`{${name}}`) - 1] ?? "";
    const resource = resourceNames[collection];
    if (resource === undefined)
      throw new Error(`The path ${path} has the segment "${collection}" before {${name}}. Add the noun for its resource to path-parameters.ts.`);
    return [name, Id.describe(`ID of the ${resource}.`)];
  });
  return z.object(Object.fromEntries(entries));
}
