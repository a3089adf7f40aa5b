import { rowLevelSecuritySql } from "@freehold/kit/db/entity";
import { Migration } from "@mikro-orm/migrations";

/**
 * Charges, payments and recurring charges that a merge moved to the surviving tenant, with the tenant before and the transaction, so
 * that the ledger of a tenant can be read again in a version from before the merge. Merges from before this migration belong to
 * every version.
 */
export class TenantReassignments extends Migration {
  override up(): void {
    this.addSql(`create table tenant_reassignment (
      organization_id uuid not null,
      id bigint generated always as identity,
      record_id uuid not null,
      from_tenant_id uuid not null,
      transaction_id xid8 not null default pg_current_xact_id(),
      transaction_era smallint not null,
      primary key (organization_id, id)
    );
    create index tenant_reassignment_by_record on tenant_reassignment (organization_id, record_id, id);
    create index tenant_reassignment_by_tenant on tenant_reassignment (organization_id, from_tenant_id);
    ${rowLevelSecuritySql("tenant_reassignment")}`);
  }
}
