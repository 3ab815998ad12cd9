package org.nyala.management;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.nyala.core.DirectoryServer;
import org.nyala.core.dispatch.DispatchStrategies;
import org.nyala.core.dispatch.DispatchStrategy;
import org.nyala.core.session.OperationClass;
import org.nyala.management.bean.DispatchMXBean;
import org.nyala.management.bean.NoticeKind;
import org.nyala.management.bean.StrategyEvent;

/** The dispatch of a running server as JMX shows it. Thread-safe. */
public final class DispatchManagement implements DispatchMXBean {
  private static final System.Logger LOG = System.getLogger(DispatchManagement.class.getName());

  private final DirectoryServer server;
  private final Function<String, DispatchStrategy> strategies;
  private final Notifications notices;
  private final AtomicLong switches = new AtomicLong();

  /**
   * Creates the bean.
   *
   * @param strategies creates a strategy by its name in the configuration; throws
   *     IllegalArgumentException for an unknown name
   * @param notices the notifications of changes
   */
  public DispatchManagement(
      DirectoryServer server,
      Function<String, DispatchStrategy> strategies,
      Notifications notices) {
    this.server = server;
    this.strategies = strategies;
    this.notices = notices;
  }

  @Override
  public String getStrategy() {
    return server.strategy().name();
  }

  @Override
  public List<String> getStrategies() {
    return DispatchStrategies.OFFERED;
  }

  @Override
  public int getInFlight() {
    return server.inFlight();
  }

  @Override
  public long getSwitches() {
    return switches.get();
  }

  @Override
  public long getOperationsStarted() {
    return server.metrics().operationsStarted().sum();
  }

  @Override
  public long getOperationsCompleted() {
    return server.metrics().operationsCompleted().sum();
  }

  @Override
  public Map<String, Long> getDemotions() {
    List<Long> ofAll = server.strategy().demotions();
    Map<String, Long> demotions = new TreeMap<>();
    if (!ofAll.isEmpty()) {
      for (OperationClass each : OperationClass.values()) {
        demotions.put(each.label(), ofAll.get(each.number()));
      }
    }
    return demotions;
  }

  @Override
  public long getPolls() {
    return server.metrics().polls().sum();
  }

  @Override
  public synchronized String switchStrategy(String strategy) {
    String before = getStrategy();
    StrategyEvent event = new StrategyEvent(before, strategy);
    event.begin();
    server.switchTo(strategies.apply(strategy));
    event.commit();
    switches.incrementAndGet();
    LOG.log(System.Logger.Level.INFO, "dispatch strategy: {0}, was {1}", strategy, before);
    notices.tell(
        NoticeKind.STRATEGY_SWITCHED,
        "dispatch strategy: " + strategy + ", was " + before,
        Map.of("strategy", strategy, "before", before));
    return before;
  }
}
