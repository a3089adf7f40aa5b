CREATE OR REPLACE FUNCTION public.require_unchanged_rows(actual integer, expected integer)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
    begin
      if actual <> expected then
        raise exception 'rows of the batch have changed since they were read' using errcode = 'serialization_failure';
      end if;
    end $function$;
