package org.nyala.management.bean;

import java.util.List;
import java.util.Map;

/** The dispatch strategy, which can be changed under load. Thread-safe. */
@Description("Where and when operations run; can be changed under load.")
public interface DispatchMXBean {
  /** The name under which the bean is registered. */
  String NAME = "org.nyala:type=Dispatch";

  @Description("The current dispatch strategy.")
  String getStrategy();

  @Description("The strategies that switchStrategy accepts.")
  List<String> getStrategies();

  /** Operations that hold a permit or a place in a queue. */
  @Description("Operations that hold a permit or a place in a queue now; 0 when idle.")
  int getInFlight();

  /** The number of changes of the strategy since the server started. */
  @Description("The number of changes of the strategy since the server started.")
  long getSwitches();

  /** Operations dispatched since the server started. */
  @Description("Operations that were dispatched since the server started.")
  long getOperationsStarted();

  /** Operations ended since the server started. */
  @Description("Operations that ended in any way since the server started.")
  long getOperationsCompleted();

  /** The number of times that each class of operations had to leave the event loops. */
  @Description(
      "How often each class of operations was so slow on the event loops that it "
          + "started on disk threads for a while; under the current strategy.")
  Map<String, Long> getDemotions();

  /** The number of polls of the event loops. */
  @Description(
      "The number of polls of the event loops (epoll_wait, select) since the server " + "started.")
  long getPolls();

  /**
   * Changes the strategy of new operations, and returns once the previous one has ended its own. No
   * request is lost, answered twice or reordered. The configuration file is not changed: it applies
   * to the next start.
   *
   * @param strategy one of {@link #getStrategies()}
   * @return the previous strategy
   * @throws IllegalArgumentException if there is no such strategy; nothing was changed
   */
  @Description(
      "Starts new operations under another strategy and returns the name of the "
          + "previous one, once that has ended its own operations. Lasts until the server "
          + "ends.")
  String switchStrategy(@Description("One of Strategies.") String strategy);
}
