package org.nyala.management.bean;

/** The state of a server as its live page has it. Thread-safe. */
@Description("The state of the server as its live page has it.")
public interface LiveMXBean {
  /** The name under which the bean is registered. */
  String NAME = "org.nyala:type=Live";

  /**
   * Looks at the server, at most once in 0.9 seconds for all who ask: pages, and callers of this.
   *
   * @return one JSON object, the same as {@code /page/data}
   * @throws IllegalStateException if the server is stopping
   */
  @Description(
      "Looks at the server, at most once a second for all who ask; returns one JSON object, the"
          + " same as /page/data.")
  String look();
}
