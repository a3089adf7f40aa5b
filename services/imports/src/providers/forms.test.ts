import { expect, test } from "@jest/globals";
import { forms, rowFieldOf } from "./forms.ts";
import { entityFields } from "./generic.ts";

/** Fields that supply others. */
const combinedFields = new Set(["bed_bath", "gl_account"]);

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
