import { Migration } from "@mikro-orm/migrations";

/**
 * The references of fees' bases are checked once a statement: a run for thousands of properties has a row for each payment. The rows that they name are
 * never deleted, so they need no lock, which a foreign key takes for each.
 */
export class ReferencesOfFeeBases extends Migration {
  override up(): void {
    this.addSql(`create function require_references_of_fee_bases() returns trigger language plpgsql set search_path = public, pg_temp as $$
      begin
        if exists (select from added b
            left join management_fee f on f.organization_id = b.organization_id and f.id = b.fee_id
            left join charge c on c.organization_id = b.organization_id and c.id = b.charge_id
            left join payment p on p.organization_id = b.organization_id and p.id = b.payment_id
            left join payment_allocation a on a.organization_id = b.organization_id and a.id = b.allocation_id
            left join charge_credit k on k.organization_id = b.organization_id and k.id = b.credit_id
            where f.id is null or c.id is null or (b.payment_id is not null and p.id is null) or (b.allocation_id is not null and a.id is null)
              or (b.credit_id is not null and k.id is null)) then
          raise exception 'the base of a fee names a row that does not exist' using errcode = 'foreign_key_violation', constraint = 'management_fee_base_references';
        end if;
        return null;
      end $$;
    create trigger management_fee_bases_have_their_references after insert on management_fee_base
      referencing new table as added for each statement execute function require_references_of_fee_bases();
    alter table management_fee_base drop constraint management_fee_base_of_a_fee, drop constraint management_fee_base_of_a_charge,
      drop constraint management_fee_base_of_a_payment, drop constraint management_fee_base_of_an_allocation, drop constraint management_fee_base_of_a_credit`);
  }
}
