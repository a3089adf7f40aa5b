/** Writer of expenses. */
import { omitUndefined } from "@freehold/kit/omit-undefined";
import { getPropertyId, toCents, type Writer } from "./writable-row.ts";

export const expenseWriter: Writer = {
  /** Records an unpaid expense. One without a category is of the category `other`, in the account that its row names. */
  create: async (row, execute, context) => {
    const { key, data, linkedIds } = row;
    const requiredFields = {
      propertyId: await getPropertyId(row, context),
      amountCents: toCents(data["amount"]),
      incurredOn: data["date"],
      category: data["category"] ?? "other",
    };
    const references = {
      unitId: linkedIds["unit"],
      vendorId: linkedIds["vendor"],
      categoryId: data["category_code"] && context.categoryIdOf(data["category_code"]),
    };
    const texts = { name: data["label"], description: data["description"], invoiceNumber: data["invoice_number"], dueOn: data["due_date"] };
    const body = omitUndefined({ ...requiredFields, ...references, ...texts });
    return (await execute<{ expense: { id: string } }>("ledger", "createExpense", key, { body })).expense.id;
  },
  fields: { amountCents: "amount", incurredOn: "date", categoryId: "category_code", name: "label", invoiceNumber: "invoice_number", dueOn: "due_date" },
};
