import { Migration } from "@mikro-orm/migrations";

/** Statements of owners have the time at which they were first sent. */
export class SentStatements extends Migration {
  override up(): void {
    this.addSql("alter table owner_statement add column sent_at timestamptz(3)");
  }
}
