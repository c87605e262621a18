import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { readAllowed, readExecForm } from './dockerfile.js';

/** What a stage of the Dockerfile makes, in a folder of this machine; each method is an instruction. */
export class Image {
  env = {};
  folder;
  command;
  healthcheck;
  user;

  constructor(root, stages) {
    this.root = root;
    this.stages = stages;
  }

  take({ instruction, flags, args }) {
    if (typeof this[instruction] !== 'function') throw new Error(`${instruction} is unknown here: add it`);
    this[instruction](args, flags);
  }

  ENV(args) {
    for (const [, name, value] of args.matchAll(/(\w+)=(\S+)/g)) this.env[name] = value;
  }

  WORKDIR(path) {
    this.folder = join(this.root, path);
    mkdirSync(this.folder, { recursive: true });
  }

  /** From an earlier stage, or from the working copy, as far as .dockerignore lets it in. */
  COPY(args, { from }) {
    const paths = args.split(/ +/);
    const target = paths.pop();
    for (const path of paths) {
      if (from === undefined && !readAllowed('.dockerignore').includes(path))
        throw new Error(`.dockerignore keeps ${path} out`);
      const source = from === undefined ? path : join(this.stages.get(from).root, path);
      cpSync(source, join(this.folder, target === './' ? basename(path) : target), { recursive: true });
    }
  }

  /** The cache of npm, a mount in the image, is that of the machine. */
  RUN(command) {
    const env = {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      npm_config_prefer_offline: 'true',
      ...this.env,
    };
    execFileSync('sh', ['-c', command], { cwd: this.folder, env, stdio: 'inherit' });
  }

  HEALTHCHECK(args) {
    this.healthcheck = readExecForm(args.replace(/^CMD +/, ''));
  }

  CMD(args) {
    this.command = readExecForm(args);
  }

  USER(name) {
    this.user = name;
  }

  EXPOSE() {}
}
