// A file of its own, which the security page loads late: the words of all acts weigh as much as a page.
export { actInWords } from '../parts/act-words.js';
export { namesFor, strangerInWords } from '../parts/names.js';
