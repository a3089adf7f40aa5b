import { Migration } from "@mikro-orm/migrations";

/** Adds the proof of a tenant's consent to text messages. */
export class ConsentSources extends Migration {
  override up(): void {
    this.addSql("alter table tenant add column sms_consent_source text");
  }
}
