package org.nyala.management;

import java.util.List;
import java.util.concurrent.TimeUnit;
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

  @Override
  public long resetMostHeldBytes() {
    return parts.directory().memory().takeMostHeld();
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
        found ? "connection {0} is ended on request" : "no connection {0} to end on request",
        Integer.toString(number));
    return found;
  }
}
