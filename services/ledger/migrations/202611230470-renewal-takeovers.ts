import { Migration } from "@mikro-orm/migrations";

/**
 * Adds the renewal for which the credit of a payment or a paid deposit is held after it took over the lease that the payment or the
 * deposit names. Both columns are null before a takeover.
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
