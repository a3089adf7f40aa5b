/** Resolves `@jest/globals` to the global functions of jest-light-runner, which loads modules with Node instead of Jest's loader. */
import { registerHooks } from "node:module";

const names = ["afterAll", "afterEach", "beforeAll", "beforeEach", "describe", "expect", "test"];
const url = `data:text/javascript,${names.map((name) => `export const ${name} = globalThis.${name};`).join("")}`;

registerHooks({ resolve: (specifier, context, next) => (specifier === "@jest/globals" ? { url, shortCircuit: true } : next(specifier, context)) });
