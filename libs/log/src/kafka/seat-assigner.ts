import kafkajs from 'kafkajs';
import type { PartitionAssigner } from 'kafkajs';
import { assignSeats, decodeClaim, encodeClaim } from '../sticky.js';
import type { SeatClaim } from '../sticky.js';

/** All members of a group must offer the same name; another way of sharing needs another one. */
const NAME = 'holdfast-seats-1';
const VERSION = 0;

/** The sticky assignment as kafkajs wants it: what we hold travels as user data and is asked for at every join. */
export function seatAssigner(claim: () => Omit<SeatClaim, 'member'>): PartitionAssigner {
  const { MemberAssignment, MemberMetadata } = kafkajs.AssignerProtocol;
  return ({ cluster }) => ({
    name: NAME,
    version: VERSION,
    protocol: ({ topics }) => ({
      name: NAME,
      metadata: MemberMetadata.encode({ version: VERSION, topics, userData: encodeClaim(claim()) }),
    }),
    assign: ({ members, topics }) => {
      const [topic = ''] = topics;
      const claims = members.map(({ memberId, memberMetadata }) =>
        decodeClaim(memberId, MemberMetadata.decode(memberMetadata)?.userData),
      );
      const shares = assignSeats(cluster.findTopicPartitionMetadata(topic).length, claims);
      const answer = [...shares].map(([memberId, seats]) => {
        const assignment = { [topic]: [...seats] };
        const bytes = MemberAssignment.encode({ version: VERSION, assignment, userData: Buffer.alloc(0) });
        return { memberId, memberAssignment: bytes };
      });
      return Promise.resolve(answer);
    },
  });
}
