/** Swagger UI is dark below `html.dark-mode`; set before anything is shown. */
'use strict';

const dark = matchMedia('(prefers-color-scheme: dark)');
const applyTheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', applyTheme);
applyTheme();
