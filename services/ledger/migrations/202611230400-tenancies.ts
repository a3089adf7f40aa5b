import { Migration } from "@mikro-orm/migrations";

const tables = ["lease_copy", "recurring_charge_rule"];
const forEachTable = (statementFor: (table: string) => string): string => tables.map(statementFor).join("; ");

/**
 * A lease and its renewals are one tenancy, identified by the id of its first lease. Existing renewals are found by the recurring
 * charges that they end; other renewals join their tenancy when they are replicated again.
 */
export class Tenancies extends Migration {
  override up(): void {
    this.addSql(`alter table lease_copy add tenancy_id uuid`);
    this.addSql(forEachTable((table) => `alter table ${table} no force row level security`));
    this.addSql(`with recursive renewal as (select distinct organization_id, lease_id as predecessor_id, followed_by_lease_id as id from recurring_charge_rule
          where followed_by_lease_id is not null and lease_id is not null),
        tenancy as (select l.organization_id, l.id, l.id as root_id from lease_copy l
            where not exists (select from renewal r where r.organization_id = l.organization_id and r.id = l.id)
          union select r.organization_id, r.id, t.root_id from renewal r join tenancy t on t.organization_id = r.organization_id and t.id = r.predecessor_id)
      update lease_copy l set tenancy_id = coalesce((select t.root_id from tenancy t where t.organization_id = l.organization_id and t.id = l.id limit 1), l.id)`);
    this.addSql(forEachTable((table) => `alter table ${table} force row level security`));
    this.addSql(`alter table lease_copy alter column tenancy_id set not null;
      create index lease_copy_by_tenancy on lease_copy (organization_id, tenancy_id)`);
  }
}
