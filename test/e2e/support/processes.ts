export { isStopped, nodeChildrenOf, signal } from '@holdfast/chaos';
