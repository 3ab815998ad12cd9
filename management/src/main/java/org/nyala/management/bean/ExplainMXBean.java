package org.nyala.management.bean;

import org.nyala.lmdb.explain.SearchExplanation;

/** Explanations of how the server executes searches. Thread-safe. */
@Description("Explains how the server executes searches, and their cost.")
public interface ExplainMXBean {
  /** The name under which the bean is registered. */
  String NAME = "org.nyala:type=Explain";

  /** The longest that one explanation may take. */
  int MAXIMUM_SECONDS = 600;

  /** The number of explanations. */
  @Description("Searches that were explained since the server started.")
  long getExplained();

  /**
   * Executes a search and explains it; its entries are not returned.
   *
   * @param base the base DN; empty for everything
   * @param scope {@code base}, {@code one}, {@code sub} or {@code children}
   * @param filter as RFC 4515 writes it
   * @param seconds how long it may take, 1 to {@value #MAXIMUM_SECONDS}
   * @throws IllegalArgumentException if an argument is invalid, or there is no base entry
   */
  @Description("Executes a search and explains it; its entries are not returned.")
  SearchExplanation explain(
      @Description("The base DN; empty for everything.") String base,
      @Description("One of base, one, sub and children.") String scope,
      @Description("The filter, as RFC 4515 writes it.") String filter,
      @Description("The maximum duration, 1 to 600 seconds.") int seconds);
}
