package org.nyala.management.page;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import java.time.InstantSource;
import org.nyala.core.message.OperationType;
import org.nyala.core.metrics.Latency;
import org.nyala.core.metrics.Phase;
import org.nyala.management.ServerComponents;
import org.nyala.management.ServerManagement;
import org.nyala.management.ServerMeters;
import org.nyala.management.bean.DispatchMXBean;
import org.nyala.management.bean.ServerMXBean;

/**
 * The sections of the server as a whole, of operations and of dispatch.
 *
 * <p>Confined to the thread that looks.
 */
final class OperationsSection {
  private static final double PERCENT = 100;
  private static final double MEDIAN = 0.5;
  private static final double MOST = 0.99;
  private static final double NEARLY_ALL = 0.999;

  private final PageSources sources;
  private final ServerMXBean server;
  private long processorNanos = -1;

  OperationsSection(PageSources sources) {
    this.sources = sources;
    this.server = new ServerManagement(sources.parts(), sources.program(), InstantSource.system());
  }

  void write(Moment moment, PageJson json) {
    server(moment, json);
    operations(moment, json);
    dispatch(json);
  }

  private void server(Moment moment, PageJson json) {
    MemoryUsage heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage();
    json.object("server")
        .with("program", server.getVersion())
        .with("pid", server.getPid())
        .with("startMillis", server.getStartMillis())
        .with("uptimeSeconds", server.getUptimeSeconds())
        .with("data", server.getData())
        .list("listeners");
    server.getListeners().forEach(json::item);
    json.endList().list("namingContexts");
    if (moment.store() != null) {
      server.getNamingContexts().forEach(json::item);
    }
    json.endList()
        .with("readOnly", server.isReadOnly())
        .with("transport", server.getTransport())
        .with("processors", Runtime.getRuntime().availableProcessors())
        .with("heapUsedBytes", heap.getUsed())
        .with("heapMaximumBytes", heap.getMax())
        .with("processorPercent", processorPercent(moment.recent()))
        .endObject();
  }

  /** Returns the use of processors since the last look, in percent of one of them. */
  private double processorPercent(Figures recent) {
    long now =
        ManagementFactory.getOperatingSystemMXBean()
                instanceof com.sun.management.OperatingSystemMXBean system
            ? system.getProcessCpuTime()
            : -1;
    long before = processorNanos;
    processorNanos = now;
    return now < 0 || before < 0 ? Double.NaN : PERCENT * (now - before) / recent.nanos();
  }

  private void operations(Moment moment, PageJson json) {
    ServerComponents parts = sources.parts();
    Figures recent = moment.recent();
    Latency all = moment.window().whole();
    json.object("operations")
        .with("perSecond", recent.perSecond(recent.completed()))
        .with("active", parts.directory().metrics().operationsActive())
        .with("refused", parts.directory().metrics().operationsRefused().sum())
        .with("malformed", parts.directory().metrics().malformedRequests().sum())
        .with("windowSeconds", moment.window().seconds())
        .with("medianMicros", Figures.micros(all, MEDIAN))
        .with("percentile99Micros", Figures.micros(all, MOST))
        .list("kinds");
    for (OperationType type : OperationType.values()) {
      Latency whole = moment.window().of(type).whole();
      json.object()
          .with("operation", type.label())
          .with("completed", moment.now().of(type).completed())
          .with("perSecond", recent.perSecond(recent.of(type).completed()))
          .with("medianMicros", Figures.micros(whole, MEDIAN))
          .with("percentile99Micros", Figures.micros(whole, MOST))
          .with("percentile999Micros", Figures.micros(whole, NEARLY_ALL))
          .endObject();
    }
    json.endList().list("phases");
    for (Phase phase : Phase.values()) {
      Latency latency = moment.window().of(phase);
      json.object()
          .with("phase", phase.label())
          .with("doing", ServerMeters.doing(phase))
          .with("perSecond", moment.window().perSecond(latency.count()))
          .with("medianMicros", Figures.micros(latency, MEDIAN))
          .with("percentile99Micros", Figures.micros(latency, MOST))
          .endObject();
    }
    json.endList().endObject();
  }

  private void dispatch(PageJson json) {
    ServerComponents parts = sources.parts();
    DispatchMXBean dispatch = sources.dispatch();
    json.object("dispatch").with("strategy", dispatch.getStrategy()).list("strategies");
    dispatch.getStrategies().forEach(json::item);
    json.endList()
        .with("inFlight", dispatch.getInFlight())
        .with("workers", parts.workers().getAsInt())
        .with("switches", dispatch.getSwitches())
        .with("waitingChanges", parts.updatesQueued().getAsInt())
        .with("refusedChanges", parts.updatesRefused().getAsLong())
        .endObject();
  }
}
