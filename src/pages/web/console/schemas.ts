import type { components } from '../../../client/contract.js';

type Schemas = components['schemas'];

export type Org = Schemas['Organization'];
export type Member = Schemas['Member'];
export type Invitation = Schemas['Invitation'];
export type System = Schemas['System'];
export type Figures = Schemas['Figures'];
