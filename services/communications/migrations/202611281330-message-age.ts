import { Migration } from "@mikro-orm/migrations";

/** Indexes finished messages by age, for the deletion of old ones. Those of conversations are kept. */
export class MessageAge extends Migration {
  override up(): void {
    this.addSql("set local statement_timeout = 0");
    this.addSql("create index message_by_age on message (organization_id, created_at) where status <> 'queued' and template <> 'conversation-message'");
  }
}
