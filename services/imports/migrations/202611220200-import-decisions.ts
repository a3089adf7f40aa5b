import { rowLevelSecuritySql } from "@freehold/kit/db/entity";
import { Migration } from "@mikro-orm/migrations";

/**
 * Creates the table of decisions on candidates, which the next validation restores. A decision is identified by the source id of
 * the row, or by the digest of its file and its row number; `nth` numbers rows of the same identity. `row_digest` detects changes
 * of the row.
 */
export class ImportDecisions extends Migration {
  override up(): void {
    this.addSql(`alter table import_candidate add column row_digest text`);
    this.addSql(`create table import_decision (
      organization_id uuid not null,
      bundle_id uuid not null,
      entity_type text not null,
      identity text not null,
      nth int not null,
      decision text,
      chosen_entity_id uuid,
      edits jsonb,
      sha256 text,
      row_number int not null,
      row_digest text,
      primary key (organization_id, bundle_id, entity_type, identity, nth),
      constraint import_decision_has_bundle foreign key (organization_id, bundle_id) references import_bundle (organization_id, id)
    )`);
    this.addSql(rowLevelSecuritySql("import_decision"));
  }
}
