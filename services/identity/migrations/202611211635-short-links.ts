import { Migration } from "@mikro-orm/migrations";

/**
 * Creates short links. A link is followed before its organization is known, so the table has no organization_id. Its paths are encrypted with
 * keys derived from the codes of the links, which are not stored.
 */
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
