CREATE OR REPLACE FUNCTION public.refuse_edit_of_posted()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
    begin
      if old.status <> 'draft' and not (old.status = 'posted' and new.status = 'reversed' and old.reversed_by_id is null
        and exists (select from journal_entry r where r.organization_id = old.organization_id and r.id = new.reversed_by_id and r.reverses_id = old.id)
        and (new.organization_id, new.id, new.memo, new.occurred_at, new.entry_date, new.source, new.source_type, new.source_id, new.debit_total_cents, new.credit_total_cents,
            new.reverses_id, new.moved_from, new.override_reason, new.created_by_user_id, new.created_at)
          is not distinct from (old.organization_id, old.id, old.memo, old.occurred_at, old.entry_date, old.source, old.source_type, old.source_id, old.debit_total_cents,
            old.credit_total_cents, old.reverses_id, old.moved_from, old.override_reason, old.created_by_user_id, old.created_at)) then
        raise exception 'a posted entry never changes: post a reversal' using errcode = 'insufficient_privilege';
      end if;
      return new;
    end $function$;
CREATE TRIGGER journal_entry_is_final BEFORE UPDATE ON public.journal_entry FOR EACH ROW EXECUTE FUNCTION refuse_edit_of_posted();
