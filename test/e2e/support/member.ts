export { Member, type MemberPlan, type MemberHealth as Report } from '@holdfast/chaos';
