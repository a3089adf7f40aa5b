import { Migration } from "@mikro-orm/migrations";

/** Creates short links. They are resolved without an organization, so the table has none; its rows cannot be read without the link. */
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
