CREATE OR REPLACE FUNCTION public.require_references_of_fee_bases()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
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
      end $function$;
CREATE TRIGGER management_fee_bases_have_their_references AFTER INSERT ON public.management_fee_base REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION require_references_of_fee_bases();
