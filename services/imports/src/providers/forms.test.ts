import { expect, test } from "@jest/globals";
import { forms, rowFieldOf } from "./forms.ts";
import { synonymScores } from "./known-names.ts";
import { entityFields } from "./generic.ts";

/** Fields that supply others. */
const combinedFields = new Set(["bed_bath", "gl_account", "tenant_names"]);

const columns = Object.entries(forms).flatMap(([provider, providerForms]) =>
  providerForms.flatMap((form) =>
    form.columns.flatMap(({ header, field }) => (field === null ? [] : [{ name: `${provider} ${form.name}: ${header}`, field, form }])),
  ),
);

test.each(columns)("the column $name is imported, and not only named by the template", ({ field, form }) => {
  const fields = form.outputs.flatMap((output) => [
    ...entityFields(output.entityType).flatMap((name) => rowFieldOf(output, name) ?? []),
    ...(output.skipIf ? [output.skipIf.field] : []),
  ]);
  expect(combinedFields.has(field) || fields.includes(field) || form.rowType?.field === field).toBe(true);
});

const allForms = Object.entries(forms).flatMap(([provider, providerForms]) => providerForms.map((form) => ({ name: `${provider} ${form.name}`, form })));

test.each(allForms)("no column name of $name means two fields with certainty", ({ form }) => {
  const names = [...synonymScores(form)].flatMap(([field, byKey]) => [...byKey].flatMap(([key, score]) => (score >= 0.8 ? [{ field, key }] : [])));
  const ambiguous = [...Map.groupBy(names, ({ key }) => key)].filter(([, group]) => group.length > 1);
  expect(ambiguous.map(([key, group]) => `${key}: ${group.map(({ field }) => field).join(", ")}`)).toEqual([]);
});
