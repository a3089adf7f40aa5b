import { Migration } from "@mikro-orm/migrations";

/** Properties have an additional reserve with its purpose. */
export class AdditionalReserves extends Migration {
  override up(): void {
    this.addSql("alter table property add column additional_reserve_cents bigint, add column additional_reserve_note text");
  }
}
