CREATE OR REPLACE FUNCTION public.require_lines()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public'
AS $function$
    begin
      if not exists (select from journal_line where organization_id = new.organization_id and entry_id = new.id) then
        raise exception 'a journal entry is posted with lines' using errcode = 'check_violation', constraint = 'journal_entry_posted_with_lines';
      end if;
      return null;
    end $function$;
CREATE CONSTRAINT TRIGGER journal_entry_has_lines AFTER INSERT OR UPDATE OF status ON public.journal_entry DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((new.status = 'posted'::text)) EXECUTE FUNCTION require_lines();
