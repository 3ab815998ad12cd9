package org.nyala.management;

import java.util.List;
import java.util.Map;

/** Where and when operations run, and the way to change it under load. Thread-safe. */
@Description("Where and when operations run; can be changed under load.")
public interface DispatchMXBean {
  /** The name under which the bean is registered. */
  String NAME = "org.nyala:type=Dispatch";

  /** The strategy of the moment. */
  @Description("The dispatch strategy of the moment.")
  String getStrategy();

  /** The strategies that there are. */
  @Description("The strategies that switchStrategy knows.")
  List<String> getStrategies();

  /** Operations that hold a permit or a place in a queue. */
  @Description("Operations that hold a permit or a place in a queue now; 0 when idle.")
  int getInFlight();

  /** How often the strategy was changed since the server started. */
  @Description("How often the strategy was changed since the server started.")
  long getSwitches();

  /** Operations started since the server was. */
  @Description("Operations that were dispatched since the server started.")
  long getOperationsStarted();

  /** Operations ended since the server was started. */
  @Description("Operations that ended, however they did, since the server started.")
  long getOperationsCompleted();

  /** How often classes of operations had to leave the event loops. */
  @Description(
      "How often each class of operations was so slow on the event loops that it started on threads for the disk for a while, under the strategy of the moment.")
  Map<String, Long> getDemotions();

  /** How often the event loops have asked the kernel what is ready. */
  @Description(
      "How often the event loops have asked the kernel what is ready (epoll_wait, select) since the server started.")
  long getPolls();

  /**
   * Gives new operations to another strategy, and returns once the one before has ended what it
   * had. No request is lost, answered twice or reordered. The configuration file is not changed:
   * the next start goes by it.
   *
   * @param strategy one of {@link #getStrategies()}
   * @return the strategy before
   * @throws IllegalArgumentException if there is no such strategy; nothing was changed
   */
  @Description(
      "Gives new operations to another strategy and returns the name of the one before, once that has"
          + " ended what it had. Lasts until the server ends.")
  String switchStrategy(@Description("One of Strategies.") String strategy);
}
