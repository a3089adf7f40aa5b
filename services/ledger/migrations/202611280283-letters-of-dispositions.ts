import { Migration } from "@mikro-orm/migrations";

/** The letter of a finalized disposition is stored as it was sent. */
export class LettersOfDispositions extends Migration {
  override up(): void {
    this.addSql("alter table security_deposit add column disposition_letter jsonb");
  }
}
