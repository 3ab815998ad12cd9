package org.nyala.management;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.nyala.core.metrics.ServerMetrics;
import org.nyala.core.session.SessionStatus;
import org.nyala.management.bean.ConnectionsMXBean;
import org.nyala.netty.ConnectionStatus;

/** The connections of a running server as JMX sees them. Thread-safe. */
public final class ConnectionsManagement implements ConnectionsMXBean {
  private static final System.Logger LOG = System.getLogger(ConnectionsManagement.class.getName());

  private final ServerComponents parts;

  public ConnectionsManagement(ServerComponents parts) {
    this.parts = parts;
  }

  private ServerMetrics metrics() {
    return parts.directory().metrics();
  }

  @Override
  public long getCurrent() {
    return parts.wire().connectionCount();
  }

  @Override
  public long getOpened() {
    return metrics().connectionsOpened().sum();
  }

  @Override
  public long getClosed() {
    return metrics().connectionsClosed().sum();
  }

  @Override
  public long getBytesReceived() {
    return metrics().bytesReceived().sum();
  }

  @Override
  public long getBytesSent() {
    return metrics().bytesSent().sum();
  }

  @Override
  public long getAwaitingClients() {
    return parts.wire().connections().stream()
        .filter(connection -> !connection.isWritable())
        .count();
  }

  @Override
  public long getStalled() {
    return metrics().connectionsStalled().sum();
  }

  @Override
  public long getRefused() {
    return metrics().connectionsRefused().sum();
  }

  @Override
  public long getHeldBytes() {
    return parts.directory().memory().held();
  }

  @Override
  public long getMostHeldBytes() {
    return parts.directory().memory().mostHeld();
  }

  @Override
  public long resetMostHeldBytes() {
    return parts.directory().memory().takeMostHeld();
  }

  @Override
  public long getReserveBytes() {
    return parts.directory().memory().reserveBytes();
  }

  @Override
  public long getHeldBytesBound() {
    return parts.directory().memory().bounds().wholeBytes();
  }

  @Override
  public long getMemoryRefusals() {
    return parts.directory().memory().refused().sum();
  }

  @Override
  public long getMemoryDisconnections() {
    return parts.directory().memory().disconnected().sum();
  }

  @Override
  public List<Connection> list(int most) {
    if (most < 1 || most > MAXIMUM_LISTED) {
      throw new IllegalArgumentException(
          "most: expected 1 to " + MAXIMUM_LISTED + ", found " + most);
    }
    long nowNanos = parts.directory().nanoTime();
    return parts.wire().connections().stream()
        .limit(most)
        .map(status -> connection(status, nowNanos))
        .toList();
  }

  private static Connection connection(ConnectionStatus status, long nowNanos) {
    SessionStatus session = status.session();
    return new Connection(
        status.number(),
        status.peer(),
        status.local(),
        session.identity().dn().toString(),
        session.received(),
        session.executing(),
        session.pending(),
        session.completed(),
        TimeUnit.NANOSECONDS.toSeconds(nowNanos - status.openedNanos()),
        TimeUnit.NANOSECONDS.toSeconds(nowNanos - session.activityNanos()),
        status.isReading(),
        status.isWritable());
  }

  @Override
  public boolean disconnect(int number) {
    boolean found = parts.wire().disconnect(number);
    LOG.log(
        System.Logger.Level.INFO,
        found ? "connection {0} is ended over JMX" : "no connection {0} to end over JMX",
        Integer.toString(number));
    return found;
  }
}
