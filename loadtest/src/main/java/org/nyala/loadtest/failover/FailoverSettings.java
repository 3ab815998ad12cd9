package org.nyala.loadtest.failover;

import java.util.List;

/**
 * The description of a test. Immutable.
 *
 * @param servers the servers; writers begin at the first one
 * @param tree the entry that the test creates
 * @param faults what happens to servers
 * @param seconds the length of the load
 * @param settleSeconds how long servers may take to have the same
 * @param writers clients that write
 * @param readers clients that read, for each server
 * @param registers entries that all clients share
 * @param writeNanos the time from one change of a writer to its next one; 0 for none
 * @param readNanos the time from one read of a reader to its next one; 0 for none
 * @param mostOperations the most operations that are recorded
 * @param mostChanges the most acknowledged changes; 0 for no bound
 * @param seed the seed of what clients do
 * @param isKept true if the entries stay
 */
record FailoverSettings(
    List<Server> servers,
    Tree tree,
    List<Fault> faults,
    double seconds,
    double settleSeconds,
    int writers,
    int readers,
    int registers,
    long writeNanos,
    long readNanos,
    long mostOperations,
    long mostChanges,
    long seed,
    boolean isKept) {}
