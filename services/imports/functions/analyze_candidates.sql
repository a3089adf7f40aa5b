CREATE OR REPLACE FUNCTION public.analyze_candidates()
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    begin
      analyze (skip_locked) import_candidate, import_dependency;
    end $function$;
