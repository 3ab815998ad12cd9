/**
 * The replicated log over Apache Ratis 3.3.0 by gRPC: a member, its folder, its settings.
 *
 * <p>{@link RaftMember} is the log. {@code EntryMachine} is the {@code StateMachine} of its {@code
 * RaftServer}; {@code Deliveries} is the one thread that calls the state. What the log does about
 * faults of Ratis is in the decision record 0110; the tests of each fault fail without it.
 *
 * <ul>
 *   <li>{@code ServerImplUtils.NavigableIndices.append}: composing of appends is off.
 *   <li>{@code ReadIndexHeartbeats.addAppendEntriesListener}: entries of the log are the barriers.
 *   <li>{@code SegmentedRaftLog.loadLogSegments} (RATIS-2507): a log behind the state is dropped.
 *   <li>{@code ServerState.getLastEntry}: the same, so that votes compare what the state has.
 *   <li>{@code RaftServerImpl.startAsPeer}: members join as voters at once.
 * </ul>
 *
 * <p>RATIS-2433 (a failed append cancels its transaction), RATIS-2547, RATIS-2605 (heartbeats do
 * not advance the match index) are in 3.3.0 and not in 3.2; RATIS-2523 is not: a member that has
 * lost its folder joins under a new id.
 *
 * <p>Public face: {@link RaftMember}, {@link RaftSettings}, {@link ClusterStatus}, {@link PeerTls}.
 */
@NullMarked
package org.nyala.cluster.raft;

import org.jspecify.annotations.NullMarked;
