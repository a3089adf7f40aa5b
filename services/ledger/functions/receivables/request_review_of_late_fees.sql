CREATE OR REPLACE FUNCTION public.request_review_of_late_fees()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      insert into work_request (job, organization_id) select distinct 'reviewLateFees', added.organization_id from added
        where exists (select from charge fee where fee.organization_id = added.organization_id and fee.late_fee_for_charge_id = added.charge_id
          and not fee.is_superseded and fee.allocated_cents = 0 and fee.balance_cents > 0);
      return null;
    end $function$;
CREATE TRIGGER request_review_of_late_fees AFTER INSERT ON public.charge_credit REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION request_review_of_late_fees();
CREATE TRIGGER request_review_of_late_fees AFTER INSERT ON public.payment_allocation REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION request_review_of_late_fees();
