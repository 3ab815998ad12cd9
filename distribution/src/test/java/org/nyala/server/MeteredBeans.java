package org.nyala.server;

import javax.management.MXBean;
import org.nyala.management.bean.AccountsMXBean;
import org.nyala.management.bean.ConnectionsMXBean;
import org.nyala.management.bean.OperationsMXBean;
import org.nyala.management.bean.StoreMXBean;

/**
 * The beans of a server with the attributes that are meters, for proxies with their exact types.
 */
public final class MeteredBeans {
  private MeteredBeans() {}

  /** The bean of accounts. Thread-safe. */
  @MXBean
  public interface Accounts extends AccountsMXBean {
    long getLocked();

    long getRefusedLocked();

    long getRefusedExpired();

    long getGraceLogins();

    long getLoginsToChange();

    long getLastLoginsRecorded();

    long getLastLoginsDropped();
  }

  /** The bean of connections. Thread-safe. */
  @MXBean
  public interface Connections extends ConnectionsMXBean {
    long getCurrent();

    long getOpened();

    long getClosed();

    long getBytesReceived();

    long getBytesSent();

    long getAwaitingClients();

    long getStalled();

    long getRefused();

    long getHeldBytes();

    long getMostHeldBytes();

    long getReserveBytes();

    long getHeldBytesBound();

    long getMemoryRefusals();

    long getMemoryDisconnections();
  }

  /** The bean of operations. Thread-safe. */
  @MXBean
  public interface Operations extends OperationsMXBean {
    long getActive();

    long getRefused();

    long getMalformed();

    long getInternalErrors();

    long getEntriesSent();

    long getLongestSliceMicros();

    long getLongestSliceProcessorMicros();
  }

  /** The bean of the store. Thread-safe. */
  @MXBean
  public interface Store extends StoreMXBean {
    long getEntries();

    long getMapBytes();

    long getMaximumBytes();

    long getUsedBytes();

    int getReaders();

    int getMaximumReaders();

    int getOpenReads();

    int getOtherReads();

    long getOldestReadBehind();

    long getOldestReadSeconds();

    long getOldestReadProcess();

    long getFreePages();

    long getPagesHeldBack();

    int getPageBytes();

    long getLastTransaction();

    long getChanges();

    int getWaitingChanges();

    long getRefusedChanges();

    long getLargestCommit();

    long getLastCommitMillis();

    long getCommitFailures();

    long getLastCommitFailureMillis();

    boolean isFailing();

    long getJournalChanges();

    long getJournalBytes();

    long getJournalOldestMillis();
  }
}
