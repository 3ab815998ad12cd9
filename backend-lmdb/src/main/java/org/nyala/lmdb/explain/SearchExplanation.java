package org.nyala.lmdb.explain;

import java.util.List;

/**
 * The way in which a search is carried out, and its cost.
 *
 * <p>Immutable.
 *
 * @param plan the search for candidates, in a sentence
 * @param terms the filter and its parts, each before its own parts
 * @param storeEntries the number of entries in the store
 * @param entriesRead the number of candidates that were read
 * @param results the number of those that match and are in scope
 * @param isComplete false if the time limit came before the end: {@code entriesRead} and {@code
 *     results} are the numbers until then
 * @param isExact true if the indexes decide for certain, so that no entry is tested
 * @param stages the time of each stage of the work
 * @param advice the indexes that would make the search read fewer entries; the most useful first
 * @param unknownAttributes the attributes of the filter that the schema does not have, as they were
 *     given: no entry matches a part with one of them
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
    List<Advice> advice,
    List<String> unknownAttributes) {
  /** Stands for an unknown number. */
  public static final long UNKNOWN = -1;

  public SearchExplanation {
    terms = List.copyOf(terms);
    stages = List.copyOf(stages);
    advice = List.copyOf(advice);
    unknownAttributes = List.copyOf(unknownAttributes);
  }

  /**
   * A filter or a part of one.
   *
   * @param depth the number of filters that contain it
   * @param text the text of the part; the operator alone if it has parts
   * @param index the index that it is looked up in, such as {@code cn:sub}; empty if it is not
   *     looked up
   * @param estimate the planner's estimate of its candidates in the first 65,536 entries; {@link
   *     #UNKNOWN} if there is none
   * @param candidates the number of entries that the index names; {@link #UNKNOWN} likewise
   * @param matches the number of the entries read for which it is true; {@link #UNKNOWN} if it has
   *     parts, or no entry was tested
   * @param note the reason why it is not looked up, or why each of its candidates is checked; may
   *     be empty
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
   * @param name the name of the work
   * @param micros its duration, in microseconds
   */
  public record Stage(String name, long micros) {}

  /**
   * An index that would help.
   *
   * @param index attribute and kinds, as {@code nyala index add} takes them
   * @param reason the use of the index
   * @param bytes its approximate size
   * @param millis the approximate time to build it
   */
  public record Advice(String index, String reason, long bytes, long millis) {}
}
