CREATE OR REPLACE FUNCTION public.refuse_overlapping_charges()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      if exists (select from added join charge other on other.organization_id = added.organization_id and other.recurring_charge_rule_id = added.recurring_charge_rule_id
          and other.id <> added.id and not other.is_superseded and other.period_start <= added.period_end and other.period_end >= added.period_start
          where added.recurring_charge_rule_id is not null) then
        raise exception 'two charges of a recurring charge cover the same day' using errcode = 'exclusion_violation', constraint = 'charge_days_posted_once';
      end if;
      return null;
    end $function$;
CREATE TRIGGER charge_days_posted_once AFTER INSERT ON public.charge REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION refuse_overlapping_charges();
