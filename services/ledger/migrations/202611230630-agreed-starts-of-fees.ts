import { Migration } from "@mikro-orm/migrations";

const tables = ["lease_copy", "recurring_charge_rule"];
const forEachTable = (statementFor: (table: string) => string): string => tables.map(statementFor).join("; ");

/** Adds the agreed start of a fee that starts later than its lease, so that a change of the lease's start date keeps it. */
export class AgreedStartsOfFees extends Migration {
  override up(): void {
    this.addSql(`alter table recurring_charge_rule add agreed_from date`);
    this.addSql(forEachTable((table) => `alter table ${table} no force row level security`));
    this.addSql(`update recurring_charge_rule r set agreed_from = r.start_date from lease_copy l
      where l.organization_id = r.organization_id and l.id = r.lease_id and r.start_date > l.start_date and not r.is_lease_rent`);
    this.addSql(forEachTable((table) => `alter table ${table} force row level security`));
  }
}
