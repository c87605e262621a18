import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { Address } from '../auth/auth.dto.js';

/** An address as an operator typed it, in its canonical form. Throws when it is none. */
export function validAddress(address: string): string {
  const given = plainToInstance(Address, { email: address });
  if (validateSync(given).length > 0) throw new Error(`${address} is not an email address.`);
  return given.email;
}
