CREATE OR REPLACE FUNCTION public.keep_message_routes()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      begin
        if new.channel = 'in_app' then return null; end if;
        insert into message_route (key, organization_id) select key, new.organization_id
          from (values ('id:' || new.id), (new.channel || ':' || lower(new.to_address)), ('sid:' || new.provider_message_id)) keys (key)
          where key is not null and (tg_op = 'INSERT' or key like 'sid:%') order by key
          on conflict (key, organization_id) do nothing;
        return null;
      end $function$;
CREATE TRIGGER keep_message_routes AFTER INSERT ON public.message FOR EACH ROW EXECUTE FUNCTION keep_message_routes();
CREATE TRIGGER keep_message_routes_of_sent AFTER UPDATE OF provider_message_id ON public.message FOR EACH ROW WHEN ((new.provider_message_id IS DISTINCT FROM old.provider_message_id)) EXECUTE FUNCTION keep_message_routes();
