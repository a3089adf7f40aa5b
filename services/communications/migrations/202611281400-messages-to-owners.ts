import { Migration } from "@mikro-orm/migrations";

/** Messages are also for owners. */
export class MessagesToOwners extends Migration {
  override up(): void {
    this.addSql(`alter table message drop constraint message_recipient_known,
      add constraint message_recipient_known check (recipient_type in ('tenant', 'vendor', 'owner', 'user')) not valid`);
    this.addSql("alter table message validate constraint message_recipient_known");
  }
}
