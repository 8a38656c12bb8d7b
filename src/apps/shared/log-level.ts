// Tested by test/apps/shared/logger.test.ts

/** From nothing at all to everything; the names are pino's. */
export const LOG_LEVELS = ['silent', 'error', 'warn', 'info', 'debug', 'trace'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
