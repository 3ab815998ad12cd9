package org.nyala.management.bean;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;

/**
 * A change of the dispatch strategy, for flight recordings.
 *
 * <p>Confined to the thread that makes it.
 */
@Name(StrategyEvent.NAME)
@Label("Dispatch Strategy Switch")
@Category("Nyala")
@Description("New operations started under another strategy, and the previous one ended its own.")
public final class StrategyEvent extends Event {
  public static final String NAME = "org.nyala.StrategySwitch";

  @Label("Before")
  @Description("The previous strategy.")
  final String before;

  @Label("Strategy")
  @Description("The new strategy.")
  final String strategy;

  /** Creates the event; it is recorded when it is committed. */
  public StrategyEvent(String before, String strategy) {
    this.before = before;
    this.strategy = strategy;
  }
}
