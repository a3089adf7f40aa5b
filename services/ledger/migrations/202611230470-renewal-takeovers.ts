import { Migration } from "@mikro-orm/migrations";

/**
 * The credit of a payment and a paid deposit may be held for another lease than the one that the payment or the deposit names: for
 * the renewal that took over. Until then both columns are null.
 */
export class RenewalTakeovers extends Migration {
  override up(): void {
    this.addSql(`alter table payment add credit_lease_id uuid`);
    this.addSql(`create index payment_credit_by_holder on payment (organization_id, credit_lease_id) where credit_lease_id is not null`);
    this.addSql(`alter table charge add deposit_lease_id uuid,
      add constraint charge_deposit_lease_of_a_deposit check (deposit_lease_id is null or charge_type = 'deposit')`);
    this.addSql(`create index charge_deposit_by_holder on charge (organization_id, deposit_lease_id) where deposit_lease_id is not null`);
  }
}
