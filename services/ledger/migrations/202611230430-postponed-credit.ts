import { rowLevelSecuritySql } from "@freehold/kit/db/entity";
import { Migration } from "@mikro-orm/migrations";

/**
 * Leases whose credit could not be applied to a posted charge, because another transaction had locked a payment or charge. A posting
 * adds a row for each of its leases, so that postings do not wait for each other.
 */
export class PostponedCredit extends Migration {
  override up(): void {
    this.addSql(`create table postponed_credit (
      organization_id uuid not null,
      id bigint generated always as identity,
      lease_id uuid not null,
      primary key (organization_id, id)
    );
    ${rowLevelSecuritySql("postponed_credit")}`);
  }
}
