export { answerWith, silenceWords } from './answering.words.js';
export { amounts as amountsWords, limitsWords } from './budget.words.js';
export { describeEvent, describeReport, reasonWords } from './describe.js';
export { count, moment, place, some, span, tail, time, type WordsFor } from './phrases.js';
export { describeWait } from './wait.words.js';
