/** The process of a contender: `node serve.js <name> <options as JSON>`. */
const [name, options] = process.argv.slice(2);
const { serve } = await import(`./contenders/${name}.js`);
await serve(JSON.parse(options));
