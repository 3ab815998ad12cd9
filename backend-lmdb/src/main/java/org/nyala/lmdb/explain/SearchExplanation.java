package org.nyala.lmdb.explain;

import java.util.List;

/**
 * How a search is carried out, and what it costs.
 *
 * <p>Immutable.
 *
 * @param plan how candidates are found, in a sentence
 * @param terms the filter and its parts, each before those that it is made of
 * @param storeEntries how many entries the store has
 * @param entriesRead how many candidates were read
 * @param results how many of these match and are in scope
 * @param isComplete false where the time was over before the end: {@code entriesRead} and {@code
 *     results} are those until then
 * @param isExact whether the indexes tell for certain, so that no entry is tested
 * @param stages where the time went
 * @param advice what would make the search read fewer entries; the most useful first
 */
public record SearchExplanation(
    String plan,
    List<Term> terms,
    long storeEntries,
    long entriesRead,
    long results,
    boolean isComplete,
    boolean isExact,
    List<Stage> stages,
    List<Advice> advice) {
  /** What stands for a number that is not known. */
  public static final long UNKNOWN = -1;

  /** Copies the lists. */
  public SearchExplanation {
    terms = List.copyOf(terms);
    stages = List.copyOf(stages);
    advice = List.copyOf(advice);
  }

  /**
   * A filter or a part of one.
   *
   * @param depth in how many others it stands
   * @param text the part; of what is made of others the operator alone
   * @param index what it is looked up in, such as {@code cn:sub}; empty where it is not looked up
   * @param estimate the planner's estimate of its candidates in the first 65,536 entries; {@link
   *     #UNKNOWN} where there is none
   * @param candidates how many entries the index names; {@link #UNKNOWN} likewise
   * @param matches for how many of the entries that were read it is true; {@link #UNKNOWN} for what
   *     is made of others, and where none was tested
   * @param note why it is not looked up, or that it is tested again; may be empty
   */
  public record Term(
      int depth,
      String text,
      String index,
      long estimate,
      long candidates,
      long matches,
      String note) {}

  /**
   * A part of the work.
   *
   * @param name what is done
   * @param micros how long that took, in microseconds
   */
  public record Stage(String name, long micros) {}

  /**
   * An index that would help.
   *
   * @param index attribute and kinds, as {@code nyala index add} takes them
   * @param reason what it would help
   * @param bytes about how large it would be
   * @param millis about how long it would take to build
   */
  public record Advice(String index, String reason, long bytes, long millis) {}
}
