import { QueryFailedError } from 'typeorm';

const UNIQUE_VIOLATION = '23505';

/** Whether a statement failed because another row has the value already. */
export function isUniqueViolation(error: unknown): boolean {
  return (
    error instanceof QueryFailedError &&
    'code' in error.driverError &&
    error.driverError.code === UNIQUE_VIOLATION
  );
}
