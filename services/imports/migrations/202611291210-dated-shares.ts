import { Migration } from "@mikro-orm/migrations";

/** The derived id of a share contains the day from which it applies, so that the shares of an owner from different days are different records. */
export class DatedShares extends Migration {
  override up(): void {
    this.addSql("set local statement_timeout = 0");
    this.addSql("alter table import_identity no force row level security");
    this.addSql(`update import_identity set source_id = left(source_id || '/' || (data ->> 'effective_date'), 400)
      where entity_type = 'ownership' and source_id like '~%' and data ->> 'effective_date' is not null`);
    this.addSql("alter table import_identity force row level security");
  }
}
