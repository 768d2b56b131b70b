import { fileDocument } from './tools/file-document.js';
import { readDocument } from './tools/read-document.js';
import { summariseDocument } from './tools/summarise-document.js';
import { summariseWithModel } from './tools/summarise-with-model.js';

/** The mission's tools; name this module in `HOLDFAST_TOOLS`. */
export default [readDocument, summariseDocument, summariseWithModel, fileDocument];
