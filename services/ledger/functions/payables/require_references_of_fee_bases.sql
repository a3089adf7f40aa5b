CREATE OR REPLACE FUNCTION public.require_references_of_fee_bases()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
      declare
        organization uuid;
        ids uuid[];
        is_complete boolean := true;
      begin
        for organization in select distinct organization_id from added loop
          ids := array(select distinct fee_id from added where organization_id = organization);
          is_complete := is_complete and cardinality(ids) = (select count(*) from management_fee where organization_id = organization and id = any(ids));
          ids := array(select distinct charge_id from added where organization_id = organization);
          is_complete := is_complete and cardinality(ids) = (select count(*) from charge where organization_id = organization and id = any(ids));
          ids := array(select distinct payment_id from added where organization_id = organization and payment_id is not null);
          is_complete := is_complete and cardinality(ids) = (select count(*) from payment where organization_id = organization and id = any(ids));
          ids := array(select distinct allocation_id from added where organization_id = organization and allocation_id is not null);
          is_complete := is_complete and cardinality(ids) = (select count(*) from payment_allocation where organization_id = organization and id = any(ids));
          ids := array(select distinct credit_id from added where organization_id = organization and credit_id is not null);
          is_complete := is_complete and cardinality(ids) = (select count(*) from charge_credit where organization_id = organization and id = any(ids));
        end loop;
        if not is_complete then
          raise exception 'the base of a fee names a row that does not exist' using errcode = 'foreign_key_violation', constraint = 'management_fee_base_references';
        end if;
        return null;
      end $function$;
CREATE TRIGGER management_fee_bases_have_their_references AFTER INSERT ON public.management_fee_base REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION require_references_of_fee_bases();
