package org.nyala.management;

import java.util.List;

/** Where the data is: how full, how it is read, how it is written. Thread-safe. */
@Description("Where the data is: how full, how it is read, how it is written.")
public interface StoreMXBean {
  /** The name under which the bean is registered. */
  String NAME = "org.nyala:type=Store";

  /**
   * How many changes commits carried, of those that carried any; what is above 16 may be too large
   * by an eighth.
   *
   * @param commits how many there were
   * @param changes all together
   * @param median what half did not exceed
   * @param percentile90 what nine of ten did not exceed
   * @param percentile99 what 99 of 100 did not exceed
   * @param percentile999 what 999 of 1000 did not exceed
   */
  record Sizes(
      long commits,
      long changes,
      long median,
      long percentile90,
      long percentile99,
      long percentile999) {}

  /**
   * About what an index takes.
   *
   * @param index attribute and kind; {@code parent} and {@code flag} are those of every store
   * @param keys its keys, one for each value in each 65,536 entries
   * @param bytes what it takes of the data file
   */
  record IndexSize(String index, long keys, long bytes) {}

  /** Entries. */
  @Description("Entries that the store has.")
  long getEntries();

  /** The address space of the data file. */
  @Description(
      "Bytes of address space of the data file; beyond it the server makes more, for which reads wait a moment.")
  long getMapBytes();

  /** The limit of that. */
  @Description("Bytes that the data file may grow to: store.maximumMapSizeGiB.")
  long getMaximumBytes();

  /** The size of the data file. */
  @Description(
      "Bytes that the data file has grown to; what was freed in it is used again, so it never shrinks.")
  long getUsedBytes();

  /** How much of its limit it has not reached. */
  @Description("What the data file may still grow, in percent of the most.")
  double getHeadRoomPercent();

  /** Places of readers that are taken. */
  @Description("Places of readers that are taken, over all processes.")
  int getReaders();

  /** Places of readers. */
  @Description("Places of readers: store.maximumReaders.")
  int getMaximumReaders();

  /** Reads that are open. */
  @Description("Reads of this server that are open now.")
  int getOpenReads();

  /** Reads that are open elsewhere. */
  @Description(
      "Reads of other processes that are open now, such as exports; 0 where that cannot be seen.")
  int getOtherReads();

  /** How old the oldest is. */
  @Description(
      "Commits since the oldest open read began: the space that those have freed cannot be used again yet.")
  long getOldestReadBehind();

  /** For how long it has been there. */
  @Description(
      "Seconds for which the oldest read has been seen behind the last commit, of this or another process; 0 where none is. Exact to management.watch.intervalSeconds.")
  long getOldestReadSeconds();

  /** Whose it is. */
  @Description(
      "The number of the process whose read that is: the server's own, or that of an export, for example; 0 where none is behind.")
  long getOldestReadProcess();

  /** What is used for nothing. */
  @Description("Pages of the data file that are free; the size of one is PageBytes.")
  long getFreePages();

  /** What is free and cannot be used. */
  @Description(
      "Pages of those that cannot be used again yet, because the oldest read may look at them.")
  long getPagesHeldBack();

  /** The size of a page. */
  @Description("The bytes of a page of the data file.")
  int getPageBytes();

  /** The last transaction. */
  @Description("The number of the last transaction that was committed; grows by one each time.")
  long getLastTransaction();

  /** How many changes they carried. */
  @Description("Entries changed, added or deleted since the server started.")
  long getChanges();

  /** The writer's queue. */
  @Description("Changes that wait for the writer; limits.writeQueue bounds them.")
  int getWaitingChanges();

  /** What was refused because of that bound. */
  @Description(
      "Changes answered busy since the server started, because limits.writeQueue waited already.")
  long getRefusedChanges();

  /** The largest commit. */
  @Description("The most entries that one commit has changed since the server started.")
  long getLargestCommit();

  /** How long commits took. */
  @Description(
      "How many commits there were since the server started, and how long they took, the wait for the disk included.")
  OperationsMXBean.Times getCommits();

  /** When the last one was. */
  @Description(
      "When the last commit was on disk, in milliseconds since 1970; 0 where there was none since the server started.")
  long getLastCommitMillis();

  /** How many could not be stored. */
  @Description(
      "Transactions that could not be stored since the server started, for want of room or of a disk that works.")
  long getCommitFailures();

  /** Why the last of them failed. */
  @Description("Why the last transaction failed that could not be stored; empty where none did.")
  String getLastCommitFailure();

  /** When it did. */
  @Description("When it failed, in milliseconds since 1970; 0 where none did.")
  long getLastCommitFailureMillis();

  /** Whether changes fail now. */
  @Description("Whether nothing that takes room has been stored since then.")
  boolean isFailing();

  /** What they carried. */
  @Description(
      "How many changes each commit has carried since the server started, of those that carried any.")
  Sizes getCommitSizes();

  /** How it is indexed. */
  @Description("The indexes, each as attribute:kinds.")
  List<String> getIndexes();

  /** How large they are. */
  @Description(
      "About how many keys and bytes each index has, as attribute:kind; parent and flag are those that every store has. Measured once a minute at most.")
  List<IndexSize> getIndexSizes();

  /** What is being built. */
  @Description("Work on indexes that is under way, as text; none when there is none.")
  List<String> getIndexWork();
}
