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

  /** The free part of that bound. */
  @Description("The rest that the data file may still grow by, in percent of its maximum.")
  double getHeadRoomPercent();

  @Description(
      "The number of commits since the server started, and their durations, the wait "
          + "for the disk included.")
  OperationsMXBean.Times getCommits();

  /** The reason of the last failure. */
  @Description("The reason of the last such failure; empty if there was none.")
  String getLastCommitFailure();

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
