package org.nyala.management;

import java.util.List;

/** Where the data is: how full, how it is read, how it is written. Thread-safe. */
@Description("Where the data is: how full, how it is read, how it is written.")
public interface StoreMXBean {
  /** The name under which the bean is registered. */
  String NAME = "org.nyala:type=Store";

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

  /** How old the oldest is. */
  @Description(
      "Commits since the oldest open read began: the space that those have freed cannot be used again yet.")
  long getOldestReadBehind();

  /** The last transaction. */
  @Description("The number of the last transaction that was committed; grows by one each time.")
  long getLastTransaction();

  /** How many changes they carried. */
  @Description("Entries changed, added or deleted since the server started.")
  long getChanges();

  /** The largest commit. */
  @Description("The most entries that one commit has changed since the server started.")
  long getLargestCommit();

  /** How long commits took. */
  @Description(
      "How many commits there were since the server started, and how long they took, the wait for the disk included.")
  OperationsMXBean.Times getCommits();

  /** How it is indexed. */
  @Description("The indexes, each as attribute:kinds.")
  List<String> getIndexes();

  /** What is being built. */
  @Description("Work on indexes that is under way, as text; none when there is none.")
  List<String> getIndexWork();
}
