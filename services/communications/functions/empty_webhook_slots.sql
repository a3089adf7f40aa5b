CREATE OR REPLACE FUNCTION public.empty_webhook_slots(kept_days integer)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET lock_timeout TO '1s'
AS $function$
      declare
        newest timestamptz;
      begin
        if kept_days < 1 then raise exception 'webhook events are kept for a day at least' using errcode = 'insufficient_privilege'; end if;
        for slot in 0..7 loop
          execute format('select max(received_at) from webhook_body_%s', slot) into newest;
          if newest < now() - make_interval(days => kept_days) then execute format('truncate webhook_body_%s', slot); end if;
        end loop;
      end $function$;
