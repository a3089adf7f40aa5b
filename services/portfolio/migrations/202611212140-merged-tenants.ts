import { Migration } from "@mikro-orm/migrations";

/** Adds the reference from a merged duplicate tenant to the surviving tenant. */
export class MergedTenants extends Migration {
  override up(): void {
    this.addSql(`alter table tenant add merged_into_id uuid,
      add constraint tenant_merged_is_deleted check (merged_into_id is null or deleted_at is not null),
      add constraint tenant_merged_into_another check (merged_into_id <> id),
      add constraint tenant_merged_into_a_tenant foreign key (organization_id, merged_into_id) references tenant (organization_id, id)`);
    this.addSql(`create index tenant_merged_into on tenant (organization_id, merged_into_id) where merged_into_id is not null`);
  }
}
