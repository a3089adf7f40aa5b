export default {
  roots: ["<rootDir>/packages", "<rootDir>/gateway", "<rootDir>/services", "<rootDir>/test", "<rootDir>/deploy"],
  testMatch: ["**/*.test.ts"],
  extensionsToTreatAsEsm: [".ts"],
  transform: {},
  testEnvironmentOptions: { customExportConditions: ["source", "node", "node-addons"] },
  testTimeout: 120_000,
  maxWorkers: 2,
};
