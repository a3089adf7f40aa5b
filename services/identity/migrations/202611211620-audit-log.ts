import { rowLevelSecuritySql } from "@freehold/kit/db/entity";
import { Migration } from "@mikro-orm/migrations";

/**
 * Creates the audit log of an organization and its users. The service can insert and read entries. It
 * cannot change them, nor delete them until a later migration adds the retention period.
 */
export class AuditLog extends Migration {
  override up(): void {
    this.addSql(`create table audit_entry (
      organization_id uuid not null,
      id uuid not null,
      occurred_at timestamptz(3) not null,
      actor_user_id uuid,
      action text not null,
      entity_type text not null,
      entity_id uuid not null,
      before jsonb,
      after jsonb,
      request_id text,
      ip text,
      primary key (organization_id, id)
    )`);
    this.addSql(`create index audit_entry_newest on audit_entry (organization_id, occurred_at, id)`);
    this.addSql(`create index audit_entry_by_entity on audit_entry (organization_id, entity_id, occurred_at)`);
    this.addSql(rowLevelSecuritySql("audit_entry"));
  }
}
