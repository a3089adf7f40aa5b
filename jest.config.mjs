export default {
  roots: ["<rootDir>/packages", "<rootDir>/gateway", "<rootDir>/services", "<rootDir>/test", "<rootDir>/deploy"],
  testMatch: ["**/*.test.ts"],
  extensionsToTreatAsEsm: [".ts"],
  transform: {},
  testEnvironmentOptions: { customExportConditions: ["source", "node", "node-addons"] },
  testTimeout: 300_000,
  maxWorkers: 2,
};
