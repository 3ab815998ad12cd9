package org.nyala.management;

import org.nyala.lmdb.explain.SearchExplanation;

/** How the server carries searches out, and what they cost. Thread-safe. */
@Description("How the server carries searches out, and what they cost.")
public interface ExplainMXBean {
  /** The name under which the bean is registered. */
  String NAME = "org.nyala:type=Explain";

  /** The longest that one explanation may take. */
  int MAXIMUM_SECONDS = 600;

  /** How many there were. */
  @Description("Searches that were explained since the server started.")
  long getExplained();

  /**
   * Carries a search out, and tells how; nobody gets its entries.
   *
   * @param base the DN where it begins; empty for everything
   * @param scope {@code base}, {@code one}, {@code sub} or {@code children}
   * @param filter as RFC 4515 writes it
   * @param seconds how long it may take, 1 to {@value #MAXIMUM_SECONDS}
   * @throws IllegalArgumentException if something of this is wrong, or there is no base entry
   */
  @Description("Carries a search out, and tells how; nobody gets its entries.")
  SearchExplanation explain(
      @Description("The DN where it begins; empty for everything.") String base,
      @Description("One of base, one, sub and children.") String scope,
      @Description("The filter, as RFC 4515 writes it.") String filter,
      @Description("How long it may take, 1 to 600 seconds.") int seconds);
}
