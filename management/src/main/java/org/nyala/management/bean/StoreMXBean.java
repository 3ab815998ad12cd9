package org.nyala.management.bean;

import java.util.List;

/** The store: its size, reads and writes. Thread-safe. */
@Description("The store: its size, reads and writes.")
public interface StoreMXBean {
  /** The name under which the bean is registered. */
  String NAME = "org.nyala:type=Store";

  /**
   * The distribution of changes per commit, of commits with any; values above 16 may be too large
   * by an eighth.
   *
   * @param commits the number of commits
   * @param changes the sum of their changes
   * @param median the number that half did not exceed
   * @param percentile90 the number that nine of ten did not exceed
   * @param percentile99 the number that 99 of 100 did not exceed
   * @param percentile999 the number that 999 of 1000 did not exceed
   */
  record Sizes(
      long commits,
      long changes,
      long median,
      long percentile90,
      long percentile99,
      long percentile999) {}

  /**
   * The approximate size of an index.
   *
   * @param index attribute and kind; {@code parent} and {@code flag} are those of every store
   * @param keys its keys, one for each value in each 65,536 entries
   * @param bytes its bytes in the data file
   */
  record IndexSize(String index, long keys, long bytes) {}

  @Description("The number of entries.")
  long getEntries();

  /** The address space of the data file. */
  @Description(
      "Bytes of address space of the data file; beyond it the server reserves more, "
          + "while reads pause briefly.")
  long getMapBytes();

  /** The bound of the data file. */
  @Description("Bytes that the data file may grow to: store.maximumMapSizeGiB.")
  long getMaximumBytes();

  /** The size of the data file. */
  @Description("Bytes that the data file has grown to; freed space is reused, so it never shrinks.")
  long getUsedBytes();

  /** The free part of that bound. */
  @Description("The rest that the data file may still grow by, in percent of its maximum.")
  double getHeadRoomPercent();

  /** Reader slots in use. */
  @Description("Reader slots in use, over all processes.")
  int getReaders();

  /** Reader slots. */
  @Description("Reader slots: store.maximumReaders.")
  int getMaximumReaders();

  @Description("Open reads of this server.")
  int getOpenReads();

  /** Open reads of other processes. */
  @Description("Open reads of other processes, such as exports; 0 if that is unknown.")
  int getOtherReads();

  /** The age of the oldest read. */
  @Description(
      "Commits since the oldest open read began: the space that they have freed "
          + "cannot be reused yet.")
  long getOldestReadBehind();

  /** The time since it was first seen. */
  @Description(
      "Seconds for which the oldest read, of this or another process, has been "
          + "behind the last commit; 0 if none is. Exact to "
          + "management.watch.intervalSeconds.")
  long getOldestReadSeconds();

  @Description(
      "The process of that read: the server's own, or that of an export, for "
          + "example; 0 if none is behind.")
  long getOldestReadProcess();

  @Description("Free pages of the data file; the size of one is PageBytes.")
  long getFreePages();

  /** Free pages that cannot be reused yet. */
  @Description("Free pages that cannot be reused yet, because the oldest read may use them.")
  long getPagesHeldBack();

  @Description("The bytes of a page of the data file.")
  int getPageBytes();

  @Description("The number of the last committed transaction; increases by one each time.")
  long getLastTransaction();

  @Description("Entries changed, added or deleted since the server started.")
  long getChanges();

  /** The writer's queue. */
  @Description("Changes that wait for the writer; limits.writeQueue bounds them.")
  int getWaitingChanges();

  /** Changes refused because of that bound. */
  @Description(
      "Changes answered busy since the server started, because limits.writeQueue "
          + "were already waiting.")
  long getRefusedChanges();

  @Description("The most entries that one commit has changed since the server started.")
  long getLargestCommit();

  @Description(
      "The number of commits since the server started, and their durations, the wait "
          + "for the disk included.")
  OperationsMXBean.Times getCommits();

  /** The time of the last commit. */
  @Description(
      "The time at which the last commit was on disk, in milliseconds since 1970; 0 "
          + "if there was none since the server started.")
  long getLastCommitMillis();

  /** Failed transactions. */
  @Description(
      "Transactions that could not be stored since the server started, because of "
          + "full or broken storage.")
  long getCommitFailures();

  /** The reason of the last failure. */
  @Description("The reason of the last such failure; empty if there was none.")
  String getLastCommitFailure();

  /** The time of the last failure. */
  @Description("The time of that failure, in milliseconds since 1970; 0 if there was none.")
  long getLastCommitFailureMillis();

  /** True while changes fail. */
  @Description("Whether nothing that takes room has been stored since then.")
  boolean isFailing();

  @Description(
      "Changes in the journal: store.journalChanges, store.journalMebibytes and journalHours bound"
          + " it.")
  long getJournalChanges();

  @Description("Bytes that the journal of changes takes.")
  long getJournalBytes();

  /** The time of its oldest change. */
  @Description(
      "The time of the oldest change in the journal, in milliseconds since 1970; 0 if it is empty.")
  long getJournalOldestMillis();

  /** The number of its newest change. */
  @Description(
      "The change sequence number of the newest change in the journal; empty if there is none.")
  String getJournalNewestCsn();

  /** The distribution of changes per commit. */
  @Description("The number of changes per commit since the server started, of commits with any.")
  Sizes getCommitSizes();

  @Description("The indexes, each as attribute:kinds.")
  List<String> getIndexes();

  @Description(
      "The approximate number of keys and bytes of each index, as attribute:kind; "
          + "parent and flag exist in every store. Measured at most once a minute.")
  List<IndexSize> getIndexSizes();

  @Description("Current work on indexes, as text; none if there is none.")
  List<String> getIndexWork();
}
