import { Migration } from "@mikro-orm/migrations";

/** Behind row-level security no index answers what is computed from a column: who is alike is found by columns that hold it. */
export class TenantsAlike extends Migration {
  override up(): void {
    this.addSql(`drop index tenant_by_same_name, tenant_by_same_email;
    alter table tenant add column same_name text generated always as (lower(full_name)) stored,
      add column same_email text generated always as (lower(email)) stored;
    create index tenant_by_same_name on tenant (organization_id, same_name) where deleted_at is null;
    create index tenant_by_same_email on tenant (organization_id, same_email) where deleted_at is null`);
  }
}
