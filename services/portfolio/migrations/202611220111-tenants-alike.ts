import { Migration } from "@mikro-orm/migrations";

/**
 * Generated columns for the detection of duplicate tenants. PostgreSQL does not use an expression index under row-level security,
 * since the expression is not leakproof.
 */
export class DuplicateTenantColumns extends Migration {
  override up(): void {
    this.addSql(`drop index tenant_by_same_name, tenant_by_same_email;
    alter table tenant add column same_name text generated always as (lower(full_name)) stored,
      add column same_email text generated always as (lower(email)) stored;
    create index tenant_by_same_name on tenant (organization_id, same_name) where deleted_at is null;
    create index tenant_by_same_email on tenant (organization_id, same_email) where deleted_at is null`);
  }
}
