import { Migration } from "@mikro-orm/migrations";

/** Adds the encrypted private half of signing keys, which identity fills in at its next start, and the time from which a key signs. */
export class SealedSigningKeys extends Migration {
  override up(): void {
    this.addSql(`alter table signing_key add column public_key jsonb, add column sealed_key text, add column signs_from timestamptz(3)`);
    this.addSql(`update signing_key set public_key = private_key - 'd', signs_from = created_at`);
    this.addSql(`alter table signing_key alter column public_key set not null, alter column signs_from set not null, alter column private_key drop not null`);
  }
}
