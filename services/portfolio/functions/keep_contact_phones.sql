CREATE OR REPLACE FUNCTION public.keep_contact_phones()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      begin
        insert into contact_phone (digits, organization_id) values (right(regexp_replace(new.phone, '\D', '', 'g'), 10), new.organization_id) on conflict do nothing;
        return null;
      end $function$;
CREATE TRIGGER keep_contact_phones AFTER INSERT OR UPDATE OF phone ON public.owner FOR EACH ROW WHEN ((new.phone IS NOT NULL)) EXECUTE FUNCTION keep_contact_phones();
CREATE TRIGGER keep_contact_phones AFTER INSERT OR UPDATE OF phone ON public.tenant FOR EACH ROW WHEN ((new.phone IS NOT NULL)) EXECUTE FUNCTION keep_contact_phones();
CREATE TRIGGER keep_contact_phones AFTER INSERT OR UPDATE OF phone ON public.vendor FOR EACH ROW WHEN ((new.phone IS NOT NULL)) EXECUTE FUNCTION keep_contact_phones();
