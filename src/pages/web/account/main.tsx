import { render } from 'preact';
import { apiUrl, facts } from '../parts/facts.js';

const page = document.getElementById('page');
if (page) render(<a href={`${apiUrl}ui/login`}>{facts.product}</a>, page);
