import type { Call } from './call.js';
import { isProblem, type LatchkeyProblem } from './problem.js';

/** Lets the user prove who they are, in one of `methods`; true once they have. */
export type StepUp = (problem: LatchkeyProblem<'StepUpRequired'>) => boolean | Promise<boolean>;

/**
 * Has calls ask for a proof where an operation requires one, and call it again. However many operations wait for the proof,
 * over whichever of the calls, the user is asked once; that includes those whose refusal arrives when the user has answered
 * already.
 */
export function withStepUp(stepUp: StepUp | undefined): (call: Call) => Call {
  if (!stepUp) return (call) => call;
  let asking: Promise<boolean> | undefined;
  let lastAnswer = false;
  let answers = 0;

  async function ask(problem: LatchkeyProblem<'StepUpRequired'>): Promise<boolean> {
    try {
      lastAnswer = false;
      lastAnswer = await (stepUp as StepUp)(problem);
    } finally {
      asking = undefined;
      answers++;
    }
    return lastAnswer;
  }

  return (call) => async (route, input, options) => {
    const answersBefore = answers;
    try {
      return await call(route, input, options);
    } catch (error) {
      // The dialog itself calls the operations of the step-up: they must not wait for it.
      if (!isProblem(error, 'StepUpRequired') || route.includes('/step-up')) throw error;
      if (answers === answersBefore) asking ??= ask(error);
      const isProven = asking ? await asking : lastAnswer;
      if (!isProven) throw error;
    }
    return call(route, input, options);
  };
}
