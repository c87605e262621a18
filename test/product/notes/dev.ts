import { serveDev } from 'latchkey';
import { product } from './product.js';

await serveDev(product);
