// Lines of 1.5 on a square of 20, which only pages about logins show.
export const CODE = 'M4 4h3v3H4zm9 0h3v3h-3zM4 13h3v3H4zm9 0h3v3h-3zM10 4v4m0 4v4M4 10h4m4 0h4';
export const KEY = 'M7 13.5a3.5 3.5 0 1 1 3.2-5H18v3h-2v2h-2.5v-2h-3.3A3.5 3.5 0 0 1 7 13.5zM6.5 10h.01';
export const PHONE = 'M6 2.5h8v15H6zM9 15h2';
