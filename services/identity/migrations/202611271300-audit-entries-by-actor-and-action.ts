import { Migration } from "@mikro-orm/migrations";

/** Indexes the audit log by actor and by action, which its list filters by. */
export class AuditEntriesByActorAndAction extends Migration {
  override up(): void {
    this.addSql(`create index audit_entry_by_actor on audit_entry (organization_id, actor_user_id, occurred_at);
      create index audit_entry_by_action on audit_entry (organization_id, action, occurred_at)`);
  }
}
