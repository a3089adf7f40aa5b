import { Migration } from "@mikro-orm/migrations";

/** Stores with each decision the record that its row had, since a decision to create one does not apply to a row that has been written meanwhile. */
export class DecisionsOnFormerRecords extends Migration {
  override up(): void {
    this.addSql("alter table import_decision add column former_entity_id uuid");
  }
}
