import { categories } from "@freehold/contract/categories";
import { systemManaged } from "@freehold/kit/errors";
import { routes } from "@freehold/kit/http/routes";
import { listCategories } from "./categories.ts";

const refuse = () => Promise.reject(systemManaged("The chart of accounts is managed by the system and cannot be changed.", "GET"));

export const categoriesHttp = routes(categories, {
  listCategories: async ({ db }) => ({ categories: await listCategories(db) }),
  createCategory: refuse,
  replaceCategory: refuse,
  updateCategory: refuse,
  deleteCategory: refuse,
});
