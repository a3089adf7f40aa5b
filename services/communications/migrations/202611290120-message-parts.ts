import { Migration } from "@mikro-orm/migrations";

/** Long text messages are sent in parts, each with its id at the provider. */
export class MessageParts extends Migration {
  override up(): void {
    this.addSql("set local statement_timeout = 0");
    this.addSql("alter table message add column part_ids text[] not null default '{}', add column delivered_part_ids text[] not null default '{}'");
    this.addSql("create index message_by_part on message using gin (part_ids) where part_ids <> '{}'");
  }
}
