import { serve } from 'latchkey';
import { product } from './product.js';

await serve(product);
