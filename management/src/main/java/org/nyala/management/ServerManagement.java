package org.nyala.management;

import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.nyala.management.bean.ServerMXBean;

/** A running server as JMX shows it. Thread-safe. */
public final class ServerManagement implements ServerMXBean {
  private static final long LIVE_MILLIS = 1000;
  private static final long MILLIS_PER_SECOND = 1000;

  private final ServerComponents parts;
  private final String version;
  private final InstantSource clock;
  private final long startMillis;

  /** Creates the bean of a server that accepts connections from now on. */
  public ServerManagement(ServerComponents parts, String version, InstantSource clock) {
    this.parts = parts;
    this.version = version;
    this.clock = clock;
    this.startMillis = clock.millis();
  }

  @Override
  public String getVersion() {
    return version;
  }

  @Override
  public long getPid() {
    return ProcessHandle.current().pid();
  }

  @Override
  public long getStartMillis() {
    return startMillis;
  }

  @Override
  public long getUptimeSeconds() {
    return (clock.millis() - startMillis) / MILLIS_PER_SECOND;
  }

  @Override
  public String getData() {
    return parts.data().toAbsolutePath().toString();
  }

  @Override
  public List<String> getListeners() {
    return parts.listeners();
  }

  @Override
  public List<String> getNamingContexts() {
    return parts.store().namingContexts().stream().map(Object::toString).toList();
  }

  @Override
  public String getTransport() {
    return parts.wire().transport();
  }

  @Override
  public int getEventLoops() {
    return parts.wire().eventLoops();
  }

  @Override
  public String getConnectionTable() {
    return parts.wire().connectionTable();
  }

  @Override
  public boolean isLive() {
    return parts.wire().isResponsive(LIVE_MILLIS);
  }

  @Override
  public boolean isReadOnly() {
    return parts.readOnly().getAsBoolean();
  }

  @Override
  public Reloaded reload() {
    return parts.control().reload();
  }

  @Override
  public long changeLimit(String name, long value) {
    return parts.control().changeLimit(name, value);
  }

  @Override
  public boolean switchReadOnly(boolean on, String by) {
    return parts.control().switchReadOnly(on, by);
  }

  @Override
  public void stop() {
    parts.control().stop();
  }

  @Override
  public List<String> getAlarms() {
    return parts.notices().alarms();
  }

  @Override
  public Map<String, Long> getExtensionMeters() {
    return parts.features().get().extensionNumbers();
  }
}
