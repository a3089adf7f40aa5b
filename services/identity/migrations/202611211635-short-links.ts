import { Migration } from "@mikro-orm/migrations";

/** Where short links lead. They are followed without an organization, so the table has none; nothing in it can be read without the link itself. */
export class ShortLinks extends Migration {
  override up(): void {
    this.addSql(`create table short_link (
      code_hash text primary key,
      sealed_path text not null,
      expires_at timestamptz(3) not null
    )`);
    this.addSql(`create index short_link_by_end on short_link (expires_at)`);
  }
}
