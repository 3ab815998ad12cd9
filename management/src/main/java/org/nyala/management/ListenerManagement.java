package org.nyala.management;

import java.net.URI;
import org.nyala.management.bean.ListenerMXBean;

/** A listener as JMX shows it. Thread-safe. */
public final class ListenerManagement implements ListenerMXBean {
  private final ServerComponents parts;
  private final String url;
  private final String portSuffix;

  /**
   * Creates the bean of a listener.
   *
   * @param url the URL of one of the server's listeners
   */
  public ListenerManagement(ServerComponents parts, String url) {
    this.parts = parts;
    this.url = url;
    this.portSuffix = ":" + URI.create(url).getPort();
  }

  @Override
  public String getUrl() {
    return url;
  }

  @Override
  public long getConnections() {
    return parts.wire().connections().stream()
        .filter(connection -> connection.local().endsWith(portSuffix))
        .count();
  }
}
