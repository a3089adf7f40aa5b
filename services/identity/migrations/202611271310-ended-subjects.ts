import { rowLevelSecuritySql } from "@freehold/kit/db/entity";
import { Migration } from "@mikro-orm/migrations";

/** Creates the table of deleted and merged subjects of portal users, with those of the audit log. */
export class EndedSubjects extends Migration {
  override up(): void {
    this.addSql(`create table ended_subject (
      organization_id uuid not null,
      id uuid not null,
      merged_into_id uuid,
      ended_at timestamptz(3) not null,
      primary key (organization_id, id)
    )`);
    this.addSql(`alter table audit_entry no force row level security;
      insert into ended_subject (organization_id, id, merged_into_id, ended_at)
        select distinct on (organization_id, entity_id) organization_id, entity_id, nullif(coalesce(after ->> 'mergedIntoTenantId', after ->> 'mergedIntoId'), '')::uuid, occurred_at
        from audit_entry where action in ('tenant.deleted', 'owner.deleted', 'vendor.deleted', 'tenant.merged')
        order by organization_id, entity_id, occurred_at;
      alter table audit_entry force row level security`);
    this.addSql(rowLevelSecuritySql("ended_subject"));
  }
}
