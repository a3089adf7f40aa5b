import { Migration } from "@mikro-orm/migrations";

/** Function that tells whether the portal user reads a row of the table with this id in the column and, where there is one, this condition. */
interface Reading {
  name: string;
  table: string;
  column: string;
  condition?: string;
}

const readings = {
  charge: { name: "portal_reads_charge", table: "charge", column: "id" },
  entry: { name: "portal_reads_line_of_entry", table: "journal_line", column: "entry_id" },
  expense: { name: "portal_reads_expense", table: "expense", column: "id" },
  expensePayment: { name: "portal_reads_expense_payment", table: "expense_payment", column: "id" },
  leaseOfProperty: { name: "portal_reads_lease_of_property", table: "lease_copy", column: "property_id" },
  leaseOfTenant: { name: "portal_reads_lease_of_tenant", table: "lease_copy", column: "tenant_id" },
  leaseOfUnit: { name: "portal_reads_lease_of_unit", table: "lease_copy", column: "unit_id" },
  ownPayment: { name: "portal_reads_own_payment", table: "payment", column: "id", condition: "r.tenant_id = portal_subject()" },
  payment: { name: "portal_reads_payment", table: "payment", column: "id" },
  paymentOfTenant: { name: "portal_reads_payment_of_tenant", table: "payment", column: "tenant_id" },
  securityDeposit: { name: "portal_reads_security_deposit", table: "security_deposit", column: "id" },
} satisfies Record<string, Reading>;

const functionSql = ({ name, table, column, condition = "true" }: Reading): string => `
  create function ${name}(organization uuid, record uuid) returns boolean language plpgsql stable parallel safe cost 10 as $$
  begin
    return exists (select from ${table} r where r.organization_id = organization and r.${column} = record and ${condition});
  end $$`;

/** Function that tells whether the portal user reaches the record and, of its rows, those of the day. The day `infinity` stands for every day. */
const reachesSql = `
  create function portal_reaches(record uuid, day date) returns boolean language plpgsql stable parallel safe cost 10 as $$
  begin
    return exists (select from portal_reached() reached where reached.id = record and (reached.before = 'infinity' or day < reached.before));
  end $$`;

const reads = ({ name }: Reading, column: string): string => `${name}(organization_id, ${column})`;
const isTenant = "portal_role() = 'tenant'";
const ofLease = (column: string, day: string): string => `${isTenant} and portal_reaches(${column}, ${day})`;
const receiptDay = "(received_at at time zone split_part(current_setting('app.portal_user', true), ':', 5))::date";
const isOwner = "portal_role() = 'owner'";
const ofProperty = `${isOwner} and property_id in (select id from portal_reached())`;
const ofSecurityDeposit = reads(readings.securityDeposit, "security_deposit_id");

/** Conditions of the tables that tenants reach by their leases, or whose rows are in reach with a row of another table. */
const conditions = {
  charge: `(${ofLease("lease_id", "due_date")}) or (${ofLease("deposit_lease_id", "'infinity'")}) or (${ofProperty})`,
  charge_credit: reads(readings.charge, "charge_id"),
  expense_allocation: `${reads(readings.expensePayment, "expense_payment_id")} and ${reads(readings.expense, "expense_id")}`,
  journal_entry: reads(readings.entry, "id"),
  journal_line: `(${ofLease("lease_id", "entry_date")})
    or (${isTenant} and (${reads(readings.ownPayment, "payment_id")} or (lease_id is null and ${reads(readings.payment, "payment_id")})))
    or (${ofProperty} and (owner_id is null or owner_id = portal_subject()))`,
  lease_copy: `(${ofLease("id", "'-infinity'")}) or (${ofProperty})`,
  payment: `(${isTenant} and tenant_id = portal_subject()) or (${ofLease("lease_id", receiptDay)}) or (${ofLease("credit_lease_id", "'infinity'")})`,
  payment_allocation: `${isTenant} and (${reads(readings.charge, "charge_id")} or ${reads(readings.payment, "payment_id")})`,
  property_copy: `(${isTenant} and ${reads(readings.leaseOfProperty, "id")}) or (${isOwner} and id in (select id from portal_reached()))`,
  security_deposit: ofLease("lease_id", "'infinity'"),
  security_deposit_charge: ofSecurityDeposit,
  security_deposit_deduction: ofSecurityDeposit,
  security_deposit_transaction: ofSecurityDeposit,
  tenant_copy: `(${isTenant} and (id = portal_subject() or ${reads(readings.paymentOfTenant, "id")})) or (${isOwner} and ${reads(readings.leaseOfTenant, "id")})`,
  unit_copy: `(${isTenant} and ${reads(readings.leaseOfUnit, "id")}) or (${ofProperty})`,
};

/**
 * Policies reach through another table by a function. PostgreSQL prepares every subquery of a policy, with the policies of its tables, before
 * each statement, also for the office: a payment by its id took four times as long.
 */
export class ReachThroughFunctions extends Migration {
  override up(): void {
    for (const reading of Object.values(readings)) this.addSql(functionSql(reading));
    this.addSql(reachesSql);
    for (const [table, condition] of Object.entries(conditions))
      this.addSql(`alter policy portal_reach on ${table} using ((select is_office()) or (${condition}))`);
  }
}
