const common = {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2022',
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true },
        },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
  moduleNameMapper: {
    '^@holdfast/service/kafka-settings$': '<rootDir>/libs/service/src/config/kafka-settings.ts',
    '^@holdfast/service/failpoint$': '<rootDir>/libs/service/src/failpoint.ts',
    '^@holdfast/(dev|matrix|model-server)$': '<rootDir>/tools/$1/src/index.ts',
    '^@holdfast/([a-z-]+)$': '<rootDir>/libs/$1/src/index.ts',
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  modulePathIgnorePatterns: ['<rootDir>/.*/dist/', '<rootDir>/.holdfast/'],
};

export default {
  // Jest heeds no time-out of a single project. Unit tests need milliseconds, brokers and killed services do not.
  testTimeout: 120_000,
  projects: [
    {
      ...common,
      displayName: 'unit',
      testMatch: [
        '<rootDir>/{libs,apps,tools,examples}/*/src/**/*.spec.ts',
        '<rootDir>/bench/src/**/*.spec.ts',
        '<rootDir>/test/{golden,support,contract,simulation,exploration,chaos}/**/*.spec.ts',
        '<rootDir>/test/cases/!(*.e2e).spec.ts',
        '<rootDir>/test/*.spec.ts',
      ],
    },
    { ...common, displayName: 'integration', testMatch: ['<rootDir>/test/integration/**/*.int.spec.ts'] },
    { ...common, displayName: 'e2e', testMatch: ['<rootDir>/test/{e2e,cases}/**/*.e2e.spec.ts'] },
    { ...common, displayName: 'faults', testMatch: ['<rootDir>/test/faults/**/*.spec.ts'] },
    { ...common, displayName: 'security', testMatch: ['<rootDir>/test/security/**/*.spec.ts'] },
    { ...common, displayName: 'cluster', testMatch: ['<rootDir>/test/cluster/**/*.spec.ts'] },
    { ...common, displayName: 'containers', testMatch: ['<rootDir>/test/containers/**/*.spec.ts'] },
    { ...common, displayName: 'console', testMatch: ['<rootDir>/test/console/**/*.spec.ts'] },
  ],
};
