CREATE OR REPLACE FUNCTION public.empty_event_slot(instant timestamp with time zone DEFAULT now())
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET lock_timeout TO '1s'
AS $function$
  declare
    expired smallint := (event_slot(instant) + 2) % 8;
    forgotten smallint := (event_slot(instant) + 1) % 8;
    newest timestamptz := instant - make_interval(secs => 4 * event_slot_seconds());
  begin
    if (select created_at from outbox where slot = expired order by position desc limit 1) <= newest
      and not exists (select from unpublished_event where slot = expired)
    then execute format('truncate outbox_%s', expired); end if;
    if (select uuid_extract_timestamp(event_id) from inbox where slot = forgotten order by consumer desc, event_id desc limit 1) <= newest
    then execute format('truncate inbox_%s', forgotten); end if;
  end $function$;
