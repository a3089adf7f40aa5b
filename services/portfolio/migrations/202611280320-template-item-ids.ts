import { Migration } from "@mikro-orm/migrations";

/** Items of inspection templates have ids, which they keep when they are renamed. */
export class TemplateItemIds extends Migration {
  override up(): void {
    this.addSql("set local statement_timeout = 0");
    this.addSql("alter table inspection_template no force row level security");
    this.addSql(`update inspection_template set areas = coalesce((select jsonb_agg(area.value || jsonb_build_object('items',
      coalesce((select jsonb_agg(item.value || jsonb_build_object('id', gen_random_uuid()) order by item.ordinality)
        from jsonb_array_elements(area.value -> 'items') with ordinality item), '[]'::jsonb)) order by area.ordinality)
      from jsonb_array_elements(areas) with ordinality area), '[]'::jsonb)`);
    this.addSql("alter table inspection_template force row level security");
  }
}
