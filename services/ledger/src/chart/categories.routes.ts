/** Routes of the chart of accounts. Accounts can be listed but not changed. */
import { categories } from "@freehold/contract/ledger/categories";
import { systemManaged } from "@freehold/kit/errors";
import { routes } from "@freehold/kit/http/routes";
import { listCategories } from "./categories.ts";

const rejectChange = () => Promise.reject(systemManaged("The chart of accounts is managed by the system and cannot be changed.", "GET"));

export const categoryRoutes = routes(categories, {
  listCategories: async ({ db }) => ({ categories: await listCategories(db) }),
  createCategory: rejectChange,
  replaceCategory: rejectChange,
  updateCategory: rejectChange,
  deleteCategory: rejectChange,
});
